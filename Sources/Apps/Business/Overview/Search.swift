public import Swiftlet

/// Finds a text in everything that the app shows, in one round trip: exact matches first, then those that begin with
/// it.
public let globalSearch = Function("search") {
    Get("/", find).taking(query: ["q": .text, "query": .text, "limit": .integer]).answering(
        .object([
            "results": .list(
                .object([
                    "id": .text, "type": .text, "title": .text.nullable, "subtitle": .text.nullable,
                    "match_field": .text.nullable,
                ])
            ),
            "total": .integer, "total_results": .integer, "degraded": .list(.text),
        ])
    )
}

private func find(_ request: Request, _ context: Context) async throws -> Response {
    let text = (request.query["q"] ?? request.query["query"] ?? "").filter { $0 != "\0" }
    var sought = String(text.drop(while: \.isWhitespace).prefix(200))
    while sought.last?.isWhitespace == true { sought.removeLast() }
    guard sought.count(where: { !$0.isWhitespace }) >= 2 else {
        throw APIError.validation(["q": "must have at least 2 characters"])
    }
    let limit = request.query["limit"].flatMap { Int($0) }.map { $0 > 0 ? min($0, 50) : 20 } ?? 20
    let tenant = try context.tenant
    let user = try context.user
    // Who starts out sees their own contacts only.
    let own: SQL = user.roleLevel > 1 ? "TRUE" : "t.owner_id::text = \(user.id)"
    let parts = searchedKinds.map {
        $0.part(sought, tenant, limit, and: $0.table.description == "company_contacts" ? own : "TRUE")
    }
    let found = try await context.database.parts(parts)
    var results: [SearchResult] = []
    for part in parts {
        results += try (found.rows(part.name) ?? []).map(SearchResult.init)
    }
    results = Array(results.sorted { $0.order < $1.order }.prefix(limit))
    return .json { json in
        json.object { json in
            json.member("results", .array(results.map { JSONValue.object($0.row) }))
            for key: StaticString in ["total", "total_results"] { json.member(key, results.count) }
            json.member("degraded", .array(found.degraded.map { .string($0) }))
        }
    }
}

private struct SearchResult {
    let order: (rank: Int, title: String, id: String)
    let row: JSONObject

    init(_ row: Row) throws {
        var object = try row.json()
        object["rank"] = nil
        self.row = object
        order = (
            try row.decode(Int.self, "rank"), try row.decode(String?.self, "title") ?? "",
            try row.decode(String.self, "id")
        )
    }
}
