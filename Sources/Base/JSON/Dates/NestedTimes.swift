/// Where in a JSON text that PostgreSQL has made of values a text such as `"infinity"` is a time.
///
/// The text alone does not tell a time from what somebody wrote, so whoever built the statement says it.
package enum NestedTimes: Hashable, Sendable {
    /// Nowhere: a column that stores JSON holds the app's own texts.
    case none
    /// In the members of these names of the outermost objects, such as the rows of a list.
    case members(Set<String>)

    /// `name` is that of the outermost object's member, and empty outside of objects.
    func includes(_ name: String) -> Bool {
        switch self {
        case .none: false
        case .members(let names): names.contains(name)
        }
    }
}
