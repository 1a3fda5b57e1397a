/// The catalog's types by object id, and what they mean for a column.
package struct TypeCatalog: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: QualifiedName
        package let kind: Kind
        /// What a domain is made of; 0 for other types.
        package let base: UInt32
        let modifier: Int
        let isNotNull: Bool
        let hasDefault: Bool
        let isArray: Bool
        /// Of an array; 0 for other types.
        package let element: UInt32
        /// The words of an enumeration.
        package let labels: [String]
    }

    package enum Kind: String, Sendable {
        case base = "b"
        case composite = "c"
        /// A row of a table or view.
        case row
        case domain = "d"
        case enumeration = "e"
        case pseudo = "p"
        case range = "r"
        case multirange = "m"
    }

    package private(set) var entries: [UInt32: Entry] = [:]
    /// Deeper chains of domains are cut off.
    private static let maximumDomains = 16

    package init() {}

    init(_ rows: [CatalogRow]) {
        for row in rows {
            guard let oid: UInt32 = row.number(0) else { continue }
            let kind = Kind(rawValue: row.text(3)) ?? .base
            entries[oid] = Entry(
                name: QualifiedName(row.text(1), row.text(2)),
                kind: kind == .composite && !row.flag(10) ? .row : kind,
                base: row.number(4) ?? 0,
                modifier: row.number(5) ?? -1,
                isNotNull: row.flag(6),
                hasDefault: row.flag(7),
                isArray: row.flag(8),
                element: row.number(9) ?? 0,
                labels: row.list(11)
            )
        }
    }

    /// Reads one row of the columns of ``CatalogQueries``.
    func column(_ row: CatalogRow, checks: [String: [String]], origin: Column.Origin?) -> Column {
        let oid: UInt32 = row.number(3) ?? 0
        let domains = domains(from: oid)
        let base = domains.last?.base ?? oid
        var modifier: Int = row.number(4) ?? -1
        for domain in domains where modifier < 0 { modifier = domain.modifier }
        let baseName = entries[base]?.name.name
        let isText = baseName == "varchar" || baseName == "bpchar"
        let name = row.text(2)
        return Column(
            name: name,
            type: ColumnType(
                oid: base,
                name: row.text(5),
                format: row[6],
                base: row[7],
                declared: oid,
                baseName: baseName,
                category: category(of: base),
                kind: kind(of: base)
            ),
            isNullable: !row.flag(8) && !domains.contains { $0.isNotNull },
            hasDefault: row.flag(9) || domains.contains { $0.hasDefault },
            defaultText: row[12],
            isGenerated: row.flag(10),
            // The modifier counts its own four bytes (manual §53.7).
            maximumLength: isText && modifier >= 4 ? modifier - 4 : nil,
            isIndexed: row.flag(11),
            checks: checks[name] ?? [],
            comment: row[16],
            representation: Column.Representation(toJSON: row[13], fromJSON: row[14], fromText: row[15]),
            origin: origin
        )
    }

    /// The chain of domains from a type down to its base type.
    private func domains(from oid: UInt32) -> [Entry] {
        var chain: [Entry] = []
        var next = oid
        while let entry = entries[next], entry.kind == .domain, chain.count < Self.maximumDomains {
            chain.append(entry)
            next = entry.base
        }
        return chain
    }

    private func category(of oid: UInt32) -> ColumnType.Category {
        guard let entry = entries[oid] else { return .other }
        if entry.kind == .enumeration { return .enumeration(labels: entry.labels) }
        if entry.element != 0 {
            let element = domains(from: entry.element).last?.base ?? entry.element
            let name = entries[element]?.name.name ?? ""
            return .array(of: ColumnType(oid: element, name: name, category: category(of: element)))
        }
        return Self.categories[entry.name.name] ?? .other
    }

    private func kind(of oid: UInt32) -> ColumnType.Kind {
        guard let entry = entries[oid] else { return .plain }
        return switch (entry.kind, entry.name.name) {
        case (.composite, _), (.row, _): .composite
        case _ where entry.isArray: .array
        case (_, "json"), (_, "jsonb"): .json
        case (_, "tsvector"): .textSearch
        default: .plain
        }
    }

    private static let categories: [String: ColumnType.Category] = [
        "text": .text, "varchar": .text, "bpchar": .text, "char": .text, "name": .text, "citext": .text,
        "uuid": .uuid, "int2": .int2, "int4": .int4, "int8": .int8, "numeric": .numeric, "float4": .float,
        "float8": .float, "bool": .bool, "timestamp": .timestamp, "timestamptz": .timestamptz, "date": .date,
        "time": .time, "timetz": .time, "json": .json, "jsonb": .jsonb, "bytea": .bytea,
    ]
}
