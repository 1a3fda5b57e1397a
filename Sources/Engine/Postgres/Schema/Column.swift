/// One column of a table or view.
package struct Column: Hashable, Sendable {
    package let name: String
    package let type: ColumnType
    package let isNullable: Bool
    /// A default, identity or sequence fills it when a write leaves it out.
    package let hasDefault: Bool
    /// `GENERATED ALWAYS`, or an expression of a view: a write must leave it out.
    package let isGenerated: Bool
    /// Characters that `varchar(n)` and `char(n)` hold.
    package let maximumLength: Int?
    /// Whether an index holds it, which bounds how long a value can be.
    package let isIndexed: Bool

    package init(
        name: String,
        type: ColumnType,
        isNullable: Bool = true,
        hasDefault: Bool = false,
        isGenerated: Bool = false,
        maximumLength: Int? = nil,
        isIndexed: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.hasDefault = hasDefault
        self.isGenerated = isGenerated
        self.maximumLength = maximumLength
        self.isIndexed = isIndexed
    }
}
