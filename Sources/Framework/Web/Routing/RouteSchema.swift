/// What a route over a table reads and answers, for descriptions of the interface.
package struct RouteSchema: Sendable {
    package enum Verb: Sendable {
        case list
        case get
        case create
        case update
        case delete
    }

    /// The JSON of a value.
    package indirect enum Kind: Sendable, Equatable {
        case text(maximumLength: Int?)
        case words([String])
        case uuid
        case integer
        case number
        case flag
        case timestamp
        case day
        case list(Kind)
        case any
    }

    package struct Field: Sendable {
        package let name: String
        package let kind: Kind
        package let isNullable: Bool

        package init(name: String, kind: Kind, isNullable: Bool) {
            self.name = name
            self.kind = kind
            self.isNullable = isNullable
        }
    }

    /// Which rows callers reach at all.
    package struct Scope: Sendable {
        /// As it is declared: `.tenant`, `.owner("created_by")`.
        package let text: String
        /// The columns that hold whose a row is, and the claim that each is held against; nil where none says it alone.
        package let columns: [(name: String, claim: [String]?)]

        package init(text: String, columns: [(name: String, claim: [String]?)]) {
            self.text = text
            self.columns = columns
        }
    }

    package let verb: Verb
    package let scope: Scope
    /// Of each row in an answer.
    package let fields: [Field]
    /// What bodies may have.
    package let inputs: [Field]
    /// Those that a new row cannot do without.
    package let required: [String]
    /// Query parameters that restrict a list, in their order of names.
    package let filters: [Field]
    package let hasSearch: Bool
    /// Numbers beside the rows of a list.
    package let counts: [String]
    /// Whether some rows are for some people only, who else get 403.
    package let isGuarded: Bool
    /// Whether the path names a row above.
    package let isBelowParent: Bool

    package init(
        verb: Verb,
        scope: Scope,
        fields: [Field],
        inputs: [Field],
        required: [String],
        filters: [Field],
        hasSearch: Bool,
        counts: [String],
        isGuarded: Bool,
        isBelowParent: Bool
    ) {
        self.verb = verb
        self.scope = scope
        self.fields = fields
        self.inputs = inputs
        self.required = required
        self.filters = filters
        self.hasSearch = hasSearch
        self.counts = counts
        self.isGuarded = isGuarded
        self.isBelowParent = isBelowParent
    }
}
