import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// The changes of a table as they come, by `/realtime/v1/changes` with its rules.
struct LivePages: Sendable {
    let database: ConsoleDatabase
    let settings: ConsoleSettings

    /// A stream ends by then, and the page asks again: so who may no longer enter sees no more.
    private static let lifetime = 60
    private static let maximumFilterBytes = 2_000

    /// What is published, and whether somebody reads it.
    func list(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT json_build_object(
                        'walLevel', current_setting('wal_level'),
                        'isRead', EXISTS (
                            SELECT FROM pg_replication_slots
                            WHERE database = current_database() AND slot_name LIKE 'swiftlet%' AND active
                        ),
                        'tables', (
                            SELECT coalesce(json_agg(json_build_object(
                                'schema', p.schemaname, 'name', p.tablename, 'isWhole', c.relreplident = 'f'
                            ) ORDER BY p.schemaname, p.tablename), '[]')
                            FROM pg_publication_tables p
                            JOIN pg_namespace n ON n.nspname = p.schemaname
                            JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = p.tablename
                            WHERE p.pubname = 'supabase_realtime'
                        )
                    )
                    """
                )
            )
        }
    }

    /// Server-sent events, from `since` on.
    func changes(_ asked: ConsoleRequest) async throws -> Response {
        let query = asked.request.query
        let table = try await database.read { transaction in
            try await ConsoleTable.find(
                asked.context.parameters["schema"],
                asked.context.parameters["table"],
                in: transaction
            )
        }
        let filter = query["filter"] ?? ""
        guard filter.utf8.count <= Self.maximumFilterBytes else { throw ConsoleError.bad("The filter is too long.") }
        var fields = [("schema", table.schema), ("table", table.name), ("event", query["event"] ?? "*")]
        if !filter.isEmpty { fields.append(("filter", filter)) }
        if let since = query["since"], !since.isEmpty { fields.append(("since", since)) }
        if asked.role == .viewer {
            let hidden = table.columns.map(\.name).filter(ConsoleTable.isSecret)
            for column in hidden where filter.contains(column) {
                throw ConsoleError.bad("\(column) is hidden from viewers.")
            }
            if !hidden.isEmpty { fields.append(("select", try Self.selection(of: table))) }
        }
        let target = fields.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
        let service = ServiceCall(settings: settings)
        let answer = try await service.send(
            asked,
            .get,
            "/realtime/v1/changes?\(target)",
            lifetime: Self.lifetime
        )
        guard answer.isSuccess else { throw Self.refusal(answer, table) }
        return answer
    }

    /// The columns that viewers may see. The key comes in any case, so a secret key leaves nothing to be shown.
    private static func selection(of table: ConsoleTable) throws(ConsoleError) -> String {
        let seen = table.columns.map(\.name).filter { !ConsoleTable.isSecret($0) && !$0.contains(",") }
        guard !seen.isEmpty, table.key.allSatisfy({ !ConsoleTable.isSecret($0.name) }) else {
            throw .bad("\(table.name) is hidden from viewers.")
        }
        return seen.joined(separator: ",")
    }

    /// Says the code too, as the page goes on by itself where the log does not reach back.
    private static func refusal(_ answer: Response, _ table: ConsoleTable) -> ConsoleError {
        if answer.status == .notFound {
            return ConsoleError(.notFound, "NOT_FOUND", "This server tells no changes, or has no such table.")
        }
        let said = try? JSONParser.parse(answer.body)
        let error = said?["error"]?.object == nil ? said : said?["error"]
        var message = error?["message"]?.string ?? "It was refused."
        if message.contains("no permission to read") {
            let name = "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
            message =
                "Changes are told as the service sees them, and it may not read: GRANT SELECT ON \(name) TO service_role"
        }
        return ConsoleError(answer.status, error?["code"]?.string ?? "REFUSED", message)
    }
}
