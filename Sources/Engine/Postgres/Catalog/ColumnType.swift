/// The type of a column, as far as reading and writing it requires. A domain has the category of its base type.
package struct ColumnType: Hashable, Sendable {
    /// Of the base type.
    package let oid: UInt32
    /// As PostgreSQL prints it, such as `character varying(50)` or, of a type that is not PostgreSQL's own,
    /// `public.task_status`.
    package let name: String
    /// As ``name``, without a length.
    package let format: String
    /// As ``name``, of the type that a domain is made of.
    package let base: String
    /// The type as it was declared: a domain's own.
    package let declared: UInt32
    package let category: Category
    package let kind: Kind

    /// Whether a list can be ordered by it: some types have no operators for that (manual, 11.10).
    package let canBeOrdered: Bool

    /// `baseName` is the bare name of the base type.
    package init(
        oid: UInt32,
        name: String,
        format: String? = nil,
        base: String? = nil,
        declared: UInt32? = nil,
        baseName: String? = nil,
        category: Category,
        kind: Kind = .plain
    ) {
        self.oid = oid
        self.name = name
        self.format = format ?? name
        self.base = base ?? name
        self.declared = declared ?? oid
        self.category = category
        self.kind = kind
        canBeOrdered =
            switch category {
            case .json: false
            case .array(let element): element.canBeOrdered
            case .other: !Self.unordered.contains(baseName ?? name)
            default: true
            }
    }

    private static let unordered: Set<String> = [
        "xml", "point", "line", "lseg", "box", "path", "polygon", "circle", "jsonpath", "aclitem", "txid_snapshot",
        "pg_snapshot", "cid", "xid",
    ]

    package indirect enum Category: Hashable, Sendable {
        /// text, varchar, char, name, citext.
        case text
        case uuid
        case int2
        case int4
        case int8
        case numeric
        /// real and double precision.
        case float
        case bool
        case timestamp
        case timestamptz
        case date
        /// time and timetz.
        case time
        case json
        case jsonb
        case bytea
        case enumeration(labels: [String])
        case array(of: ColumnType)
        case other
    }

    /// What steps into a value need.
    package enum Kind: Hashable, Sendable {
        case plain, json, composite, array, textSearch
    }

    /// A step into it needs `to_jsonb` first.
    package var needsConversionToJSON: Bool { kind == .composite || kind == .array }

    /// The words of an enumeration; empty for other types.
    package var labels: [String] {
        if case .enumeration(let labels) = category { labels } else { [] }
    }
}
