import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /admin/audit?page=&per_page=&query=author:ada|action:login|type:account`: an array, newest first.
    func adminAudit(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let page = try Self.number(request.query["page"], default: 1)
        let limit = min(try Self.number(request.query["per_page"], default: 50), 1000)
        let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: limit)
        let condition = try Self.condition(request.query["query"])
        let (rows, total) = try await accounts.withTables { tables -> ([Row], Int) in
            guard tables.has("audit_log_entries", "payload") else { return ([], 0) }
            let rows = try await accounts.database.query(
                """
                SELECT jsonb_build_object(
                    'id', id, 'payload', payload, 'created_at', created_at, 'ip_address', ip_address
                )::text AS entry FROM auth.audit_log_entries WHERE \(condition)
                ORDER BY created_at DESC, id LIMIT \(limit) OFFSET \(isTooFar ? Int(Int32.max) : offset)
                """
            )
            let count = try await accounts.database.query(
                "SELECT count(*) AS total FROM auth.audit_log_entries WHERE \(condition)"
            )
            return (rows, try count.first?.decode(Int.self, "total") ?? 0)
        }
        let entries = try rows.compactMap { row in
            try row["entry"].map { try JSONParser.parse(Array($0.utf8)) }
        }
        var response = Response.json(.ok, .array(entries))
        response.addPages(of: "/admin/audit", page, request, limit: limit, total: total)
        return response
    }

    private static func condition(_ text: String?) throws(SignInError) -> SQL {
        guard let text, !text.isEmpty else { return "true" }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw .invalid("bad query scope: \(text.prefix(40))") }
        switch parts[0] {
        case "author":
            // GoTrue has written names as well.
            return """
                position(lower(\(parts[1])::text)
                    IN lower(concat_ws(' ', payload ->> 'actor_username', payload ->> 'actor_name'))) > 0
                """
        case "action": return "payload ->> 'action' = \(parts[1])"
        case "type": return "payload ->> 'log_type' = \(parts[1])"
        default: throw .invalid("bad query scope: \(text.prefix(40))")
        }
    }
}
