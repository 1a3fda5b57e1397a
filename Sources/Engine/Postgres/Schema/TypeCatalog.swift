/// The catalog's types by object id, and what they mean for a column.
struct TypeCatalog {
    private struct Entry {
        let name: String
        let isDomain: Bool
        let base: UInt32
        let modifier: Int
        let isNotNull: Bool
        let hasDefault: Bool
        let element: UInt32
        let labels: [String]?
    }

    private var entries: [UInt32: Entry] = [:]
    /// Deeper chains of domains are cut off.
    private static let maximumDomains = 16

    init(_ rows: [Row]) {
        for row in rows {
            guard let oid = row.number(0) else { continue }
            entries[oid] = Entry(
                name: row[1] ?? "",
                isDomain: row[2] == "d",
                base: row.number(3) ?? 0,
                modifier: row[4].flatMap { Int($0) } ?? -1,
                isNotNull: row[5] == "t",
                hasDefault: row[6] == "t",
                element: row.number(7) ?? 0,
                labels: row[8].flatMap { [String](sqlText: $0.utf8.span) }
            )
        }
    }

    /// Reads one row of ``SchemaCatalog/columns``.
    func column(_ row: Row) -> Column {
        let oid = row.number(4) ?? 0
        let domains = domains(from: oid)
        let base = domains.last?.base ?? oid
        var modifier = row[5].flatMap { Int($0) } ?? -1
        for domain in domains where modifier < 0 { modifier = domain.modifier }
        let isText = entries[base]?.name == "varchar" || entries[base]?.name == "bpchar"
        return Column(
            name: row[3] ?? "",
            type: ColumnType(oid: base, name: row[6] ?? "", base: entries[base]?.name, category: category(of: base)),
            isNullable: row[7] != "t" && !domains.contains { $0.isNotNull },
            hasDefault: row[8] == "t" || domains.contains { $0.hasDefault },
            isGenerated: row[9] == "t",
            // The modifier counts its own four bytes (manual §53.7).
            maximumLength: isText && modifier >= 4 ? modifier - 4 : nil,
            isIndexed: row[10] == "t"
        )
    }

    /// The chain of domains from a type down to its base type.
    private func domains(from oid: UInt32) -> [Entry] {
        var chain: [Entry] = []
        var next = oid
        while let entry = entries[next], entry.isDomain, chain.count < Self.maximumDomains {
            chain.append(entry)
            next = entry.base
        }
        return chain
    }

    private func category(of oid: UInt32) -> ColumnType.Category {
        guard let entry = entries[oid] else { return .other }
        if let labels = entry.labels { return .enumeration(labels: labels) }
        if entry.element != 0 {
            let element = domains(from: entry.element).last?.base ?? entry.element
            let name = entries[element]?.name ?? ""
            return .array(of: ColumnType(oid: element, name: name, category: category(of: element)))
        }
        return Self.categories[entry.name] ?? .other
    }

    private static let categories: [String: ColumnType.Category] = [
        "text": .text, "varchar": .text, "bpchar": .text, "char": .text, "name": .text, "citext": .text,
        "uuid": .uuid, "int2": .int2, "int4": .int4, "int8": .int8, "numeric": .numeric, "float4": .float,
        "float8": .float, "bool": .bool, "timestamp": .timestamp, "timestamptz": .timestamptz, "date": .date,
        "time": .time, "timetz": .time, "json": .json, "jsonb": .jsonb, "bytea": .bytea,
    ]
}

extension Row {
    fileprivate func number(_ position: Int) -> UInt32? { self[position].flatMap { UInt32($0) } }
}
