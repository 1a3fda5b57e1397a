/// One column of a table, view or composite type.
package struct Column: Hashable, Sendable {
    package let name: String
    package let type: ColumnType
    package let isNullable: Bool
    /// A default, identity or sequence fills it when a write leaves it out.
    package let hasDefault: Bool
    /// The default as SQL, `identity` for an identity; nil for none and for generated columns.
    package let defaultText: String?
    /// `GENERATED ALWAYS`, or an expression of a view: a write must leave it out.
    package let isGenerated: Bool
    /// Characters that `varchar(n)` and `char(n)` hold.
    package let maximumLength: Int?
    /// Whether an index holds it, which bounds how long a value can be.
    package let isIndexed: Bool
    /// What constraints of this column alone say, as PostgreSQL prints them.
    package let checks: [String]
    package let comment: String?
    package let representation: Representation
    /// What the column of a view shows, one step through views on views; nil for an expression and in tables.
    package let origin: Origin?

    /// The casts of a domain by which its values come and go: functions, as SQL names them.
    package struct Representation: Hashable, Sendable {
        package var toJSON: String?
        package var fromJSON: String?
        package var fromText: String?

        package init(toJSON: String? = nil, fromJSON: String? = nil, fromText: String? = nil) {
            self.toJSON = toJSON
            self.fromJSON = fromJSON
            self.fromText = fromText
        }
    }

    package struct Origin: Hashable, Sendable {
        package let relation: QualifiedName
        package let column: String
    }

    package init(
        name: String,
        type: ColumnType,
        isNullable: Bool = true,
        hasDefault: Bool = false,
        defaultText: String? = nil,
        isGenerated: Bool = false,
        maximumLength: Int? = nil,
        isIndexed: Bool = false,
        checks: [String] = [],
        comment: String? = nil,
        representation: Representation = Representation(),
        origin: Origin? = nil
    ) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.hasDefault = hasDefault
        self.defaultText = defaultText
        self.isGenerated = isGenerated
        self.maximumLength = maximumLength
        self.isIndexed = isIndexed
        self.checks = checks
        self.comment = comment
        self.representation = representation
        self.origin = origin
    }
}
