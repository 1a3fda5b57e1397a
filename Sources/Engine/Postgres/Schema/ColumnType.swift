/// The type of a column, as far as reading and writing it requires. A domain has the category of its base type.
package struct ColumnType: Hashable, Sendable {
    package let oid: UInt32
    /// As PostgreSQL prints it, such as `character varying(50)` or `task_status`.
    package let name: String
    package let category: Category

    /// Whether a list can be ordered by it: some types have no operators for that (manual, 11.10).
    package let canBeOrdered: Bool

    /// `base` is the name of the base type; `name` may be that of a domain.
    package init(oid: UInt32, name: String, base: String? = nil, category: Category) {
        self.oid = oid
        self.name = name
        self.category = category
        canBeOrdered =
            switch category {
            case .json: false
            case .array(let element): element.canBeOrdered
            case .other: !Self.unordered.contains(base ?? name)
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
}
