import SwiftletPostgres
import SwiftletWeb

/// One search: what is sought, and where the caller may look.
struct SearchAnswer {
    private let text: SearchedText
    private let limit: Int
    private let context: Context
    /// The kinds of which the caller sees all rows, and those of which only their own.
    private let open: [String]
    private let own: [String]

    private static let maximumLimit = 50

    /// Throws 400 for a text that is too short.
    init(_ request: Request, _ kinds: [SearchedResource], _ context: Context) throws {
        text = try SearchedText(request.query["q"] ?? "")
        let wanted = request.query["limit"].flatMap { Int($0) } ?? 20
        limit = wanted > 0 ? min(wanted, Self.maximumLimit) : 20
        self.context = context
        let user = try context.user
        own = kinds.filter { $0.ownRows?.binds(user) == true }.map(\.kind)
        open = kinds.map(\.kind).filter { [own] in !own.contains($0) }
    }

    func response() async throws -> Response {
        var rows = try await find(text.condition, text.rank)
        var isSimilar = false
        if rows.allSatisfy({ $0["id"] == nil }), let similar = try await findSimilar() {
            rows = similar
            isSimilar = true
        }
        let incomplete = rows.first?["incomplete"].map { $0.split(separator: ",").map { JSONValue.string(String($0)) } }
        let data = try rows.filter { $0["id"] != nil }.map { row in
            JSONValue.object([
                "kind": try row.json("kind"), "id": try row.json("id"), "title": try row.json("title"),
            ])
        }
        return .json([
            "data": .array(data), "similar": .bool(isSimilar), "incomplete": .array(incomplete ?? []),
        ])
    }

    /// At least one row, which has no id if nothing is found, and what is not in the index yet.
    private func find(_ condition: SQL, _ rank: SQL) async throws -> [Row] {
        let tenant = try context.tenant
        let user = try context.user.id
        return try await context.database.query(
            """
            SELECT i.incomplete, s.kind, s.id, s.title FROM (
                SELECT string_agg(k.kind, ',' ORDER BY k.kind) AS incomplete FROM swiftlet.searched_kinds k
                WHERE k.filled_at IS NULL AND k.kind = ANY (\(open + own))
            ) i LEFT JOIN (
                SELECT e.kind, e.id, e.title, \(rank) AS rank FROM \(text.patterns), swiftlet.search_entries e
                WHERE e.tenant = \(tenant) AND \(condition)
                    AND (e.kind = ANY (\(open)) OR e.kind = ANY (\(own)) AND e.owner = \(user))
                ORDER BY rank, e.title, e.kind, e.id LIMIT \(limit)
            ) s ON TRUE ORDER BY s.rank, s.title, s.kind, s.id
            """
        )
    }

    /// nil where the database lacks the extension.
    private func findSimilar() async throws -> [Row]? {
        do {
            return try await find(text.similarity, text.distance)
        } catch let error as PostgresError where error.state == .undefinedFunction {
            return nil
        }
    }
}
