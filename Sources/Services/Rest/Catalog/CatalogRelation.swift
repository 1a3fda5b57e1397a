/// A table or view of an exposed schema.
struct CatalogRelation: Sendable {
    let name: QualifiedName
    let isView: Bool
    let comment: String?
    /// By name, in the order of the table.
    let columns: [CatalogColumn]
    let primaryKey: [String]
    let changes: Changes

    private let positions: [String: Int]

    /// What PostgreSQL would let somebody with all privileges do (`pg_relation_is_updatable`).
    struct Changes: OptionSet, Sendable {
        let rawValue: Int
        static let update = Changes(rawValue: 4)
        static let insert = Changes(rawValue: 8)
        static let delete = Changes(rawValue: 16)
    }

    init(
        name: QualifiedName,
        isView: Bool,
        comment: String?,
        columns: [CatalogColumn],
        primaryKey: [String],
        changes: Changes
    ) {
        self.name = name
        self.isView = isView
        self.comment = comment
        self.columns = columns
        self.primaryKey = primaryKey
        self.changes = changes
        positions = Dictionary(columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Some values leave in another form than PostgreSQL's.
    var hasRepresentations: Bool { columns.contains { $0.representation.toJSON != nil } }

    func column(_ name: String) -> CatalogColumn? { positions[name].map { columns[$0] } }
}

struct CatalogColumn: Hashable, Sendable {
    let name: String
    /// As PostgreSQL prints it, with its schema where that is not `pg_catalog`.
    let type: String
    /// As ``type``, without a length.
    let format: String
    /// As ``type``, of the type that a domain is made of.
    let baseType: String
    let kind: Kind
    let isNullable: Bool
    let defaultText: String?
    let maximumLength: Int?
    let labels: [String]
    let comment: String?
    let representation: Representation

    /// The casts of a domain by which its values come and go: functions, as SQL names them.
    struct Representation: Hashable, Sendable {
        var toJSON: String?
        var fromJSON: String?
        var fromText: String?
    }

    enum Kind: String, Sendable {
        case plain, json, composite, array, textSearch
    }

    /// A step into it needs `to_jsonb` first.
    var needsConversionToJSON: Bool { kind == .composite || kind == .array }
}
