/// The query string of a request, read.
struct RestQuery: Hashable, Sendable {
    var select: [SelectItem] = [.all]
    /// Of the relation that the path names.
    var root = Restriction()
    /// Of embedded relations, by the names that lead to them.
    var embedded: [[String]: Restriction] = [:]
    /// nil where the columns are those of the content.
    var columns: [String]?
    var conflictColumns: [String]?
    /// The arguments of a function called by GET, in the order of the query.
    var arguments: [Argument] = []

    struct Argument: Hashable, Sendable {
        var name: String
        var value: String
    }
}

/// Which rows of one relation are wanted, and in which order.
struct Restriction: Hashable, Sendable {
    var conditions: [LogicTree] = []
    var order: [OrderTerm] = []
    var limit: Int?
    var offset: Int?

    /// Takes over what another one asks for.
    mutating func add(_ other: Restriction) {
        conditions += other.conditions
        if !other.order.isEmpty { order = other.order }
        limit = other.limit ?? limit
        offset = other.offset ?? offset
    }
}

/// One item of `order`: `client(name).desc.nullslast`.
struct OrderTerm: Hashable, Sendable {
    /// The embedded relation whose column it is.
    var relation: String?
    var field: FieldPath
    var isDescending: Bool?
    var nullsFirst: Bool?
}
