/// One function; there may be several of a name.
package struct Routine: Hashable, Sendable {
    /// Its number in `pg_proc`.
    package let identifier: String
    package let name: QualifiedName
    package let arguments: [Argument]
    /// What it returns by arguments: `RETURNS TABLE`, OUT and INOUT.
    package let outputs: [Output]
    package let result: Result
    package let returnsSet: Bool
    /// It does not return a set, or one that is said to have one row.
    package let returnsOneRow: Bool
    package let volatility: Volatility
    package let comment: String?
    /// The relation whose row is its only argument: clients select it like a column, or embed it.
    package let rowOf: QualifiedName?
    /// The media type of its result, a domain that is named like one.
    package let media: Media?
    /// What the function sets, as far as the whole transaction needs it.
    package let settings: [RoleSetting]
    /// An extension made it.
    package let isOfExtension: Bool

    package struct Argument: Hashable, Sendable {
        /// Empty where the function gives it none.
        package let name: String
        package let type: String
        /// The type to give a value in SQL. It is another one where the type's name means a length: `character` alone
        /// is one letter, `bpchar` any number.
        package let boundType: String
        package let oid: UInt32
        package let hasDefault: Bool
        package let isVariadic: Bool

        package var isRequired: Bool { !hasDefault && !isVariadic }
    }

    package struct Output: Hashable, Sendable {
        package let name: String
        package let oid: UInt32
    }

    package enum Result: Hashable, Sendable {
        case void
        case scalar(type: String, oid: UInt32)
        /// Rows of a relation, or of a type of columns.
        case rows(of: QualifiedName?, oid: UInt32)
    }

    package struct Media: Hashable, Sendable {
        package let type: String
        /// The domain is one over `bytea`.
        package let isBytes: Bool
    }

    package enum Volatility: String, Sendable {
        case immutable = "i"
        case stable = "s"
        case volatile = "v"
    }

    /// Its rows have columns, so that filters, `select` and `order` count.
    package var isTable: Bool { if case .rows = result { true } else { false } }
}

extension Routine {
    /// Reads one row of the routines of ``CatalogQueries``.
    init(_ row: CatalogRow) {
        let names = row.list(8)
        let modes = row.list(9)
        let types = row.list(11)
        let boundTypes = row.list(12)
        let isVariadic = row.flag(7)
        var inputs: [(name: String, oid: UInt32)] = []
        var outputs: [Output] = []
        for (index, type) in row.list(10).enumerated() {
            let name = index < names.count ? names[index] : ""
            let mode = index < modes.count ? modes[index] : "i"
            let oid = UInt32(type) ?? 0
            if "ibv".contains(mode) { inputs.append((name, oid)) }
            if "obt".contains(mode) { outputs.append(Output(name: name, oid: oid)) }
        }
        let firstDefault = inputs.count - (row.number(6) ?? 0)
        let oid: UInt32 = row.number(14) ?? 0
        let result: Result =
            switch row[13] {
            case "void": .void
            case "rows": .rows(of: row.name(16, 17), oid: oid)
            default: .scalar(type: row[15] ?? "text", oid: oid)
            }
        self.init(
            identifier: row.text(0),
            name: QualifiedName(row.text(1), row.text(2)),
            arguments: inputs.indices.map { index in
                let type = index < types.count ? types[index] : "text"
                return Argument(
                    name: inputs[index].name,
                    type: type,
                    boundType: index < boundTypes.count ? boundTypes[index] : type,
                    oid: inputs[index].oid,
                    hasDefault: index >= firstDefault,
                    isVariadic: isVariadic && index == inputs.count - 1
                )
            },
            outputs: outputs,
            result: result,
            returnsSet: row.flag(4),
            returnsOneRow: !row.flag(4) || row.flag(5),
            volatility: Volatility(rawValue: row.text(3)) ?? .volatile,
            comment: row[22],
            rowOf: row.name(18, 19),
            media: row[20].map { Media(type: $0, isBytes: row.flag(21)) },
            settings: row.list(23).compactMap { setting in
                let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 ? RoleSetting(name: parts[0], value: parts[1]) : nil
            },
            isOfExtension: row.flag(24)
        )
    }
}
