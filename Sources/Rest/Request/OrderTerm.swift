/// One item of `order`: `client(name).desc.nullslast`.
struct OrderTerm: Hashable, Sendable {
    /// The embedded relation whose column it is.
    var relation: String?
    var field: FieldPath
    var isDescending: Bool?
    var nullsFirst: Bool?
}
