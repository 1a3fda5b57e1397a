public import SwiftletWeb

/// `GET ?q=text&limit=20`: the rows of several resources in which a text is found, the best first.
///
///     public let search = Function("search") {
///         SearchRoute(over: notes, tasks)
///     }
///
/// All words have to be there, in any case and with or without accents. First come rows of which a value is the text,
/// then those of which one begins with it, then those that have it at the begin of a word, then others; and where nothing
/// is found at all, those that are similar, if the database has `pg_trgm`. The answer names the resources whose older
/// rows are not in the index yet.
///
/// Each resource is ``Searchable`` and in the scope of the tenant. Whoever is held to their own rows by ``OwnRowsOnly`` finds
/// only these, for which the migration names the owner's column: `swiftlet.enable_search('notes', ARRAY['title'], owner =>
/// 'created_by')`. Resources that hide rows in another way, or columns that they search, are refused when the server
/// starts. Levels that a resource's own routes ask for do not count here: give the route of the search the highest.
public struct SearchRoute: RouteDeclaration {
    public let route: Route

    public init(_ path: RoutePath = "/", over resources: Resource...) {
        let kinds = resources.map { SearchedResource($0) }
        let backing = TableBacking(
            name: "search",
            fault: kinds.lazy.compactMap(\.fault).first.map { .vocabulary($0) },
            missing: { _ in [] },
            declaredSQL: { _ in [] }
        )
        route = Route(.get, path, table: backing) { request, context in
            try await SearchAnswer(request, kinds, context).response()
        }
        .taking(query: ["q": .text, "limit": .integer])
    }
}

/// What a search needs to know of a resource.
struct SearchedResource: Sendable {
    let kind: String
    /// Why no search can have it.
    let fault: String?
    /// Whose callers see their own rows only.
    let ownRows: OwnRowsRule?

    init(_ resource: Resource) {
        kind = resource.table
        ownRows = resource.rules.ownRowsOnly
        let rules = resource.rules
        fault =
            if !rules.isSearchable {
                "SearchRoute has \(resource.table), which is not Searchable"
            } else if rules.search.contains(where: { rules.hidden.contains($0.name) }) {
                "SearchRoute has \(resource.table), which searches columns that are Hidden"
            } else if resource.scope != .tenant || !rules.only.isEmpty || rules.parent?.hidesRows == true {
                "SearchRoute has \(resource.table), which hides rows that a search would find"
            } else {
                nil
            }
    }
}
