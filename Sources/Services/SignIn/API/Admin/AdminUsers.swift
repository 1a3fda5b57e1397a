import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /admin/users?page=&per_page=`: all users, newest first.
    func adminListUsers(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let page = try Self.number(request.query["page"], default: 1)
        let limit = min(try Self.number(request.query["per_page"], default: 50), Self.maximumPerPage)
        let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: limit)
        let (users, total) = try await accounts.list(limit: limit, offset: isTooFar ? Int(Int32.max) : offset)
        var response = Response.json { json in
            json.object { json in
                json.key("users")
                json.beginArray()
                for user in users { user.write(to: &json) }
                json.endArray()
                json.member("aud", "authenticated")
            }
        }
        response.headers.append("X-Total-Count", String(total))
        let last = max(1, (total + limit - 1) / limit)
        var links = page < last ? ["<\(link(page + 1, limit))>; rel=\"next\""] : []
        links.append("<\(link(last, limit))>; rel=\"last\"")
        response.headers.append("Link", links.joined(separator: ", "))
        return response
    }

    /// `GET /admin/users/:id`.
    func adminUser(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        return Response.user(try await accounts.existing(id: Self.id(context)))
    }

    /// `DELETE /admin/users/:id`: deletes the account, or with `should_soft_delete` makes it unusable. Either way, the
    /// password in `public.users` is removed, and what the server holds of the account goes, but not its files.
    func adminDeleteUser(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let id = try Self.id(context)
        let isSoft = try Fields(request).bool("should_soft_delete") ?? false
        _ = try await accounts.existing(id: id)
        try await accounts.transaction { transaction in
            let tables = transaction.tables
            // That password would create the account again, see PasswordSignIn.
            let forgetting = tables.sql.forgetPassword(id).map { [$0] } ?? []
            let rest = sessions.shuttingOut(id, tables) + forgetting
            let note = tables.audit(AuditEntry(action: .deleted, traits: ["user_id": .string(id)]), of: id)
            let belongings = try await belongings(of: id, isOwner: false, in: transaction)
            guard isSoft else {
                return try await transaction.run(
                    note + belongings + ["DELETE FROM auth.users WHERE id = \(id)"] + rest
                )
            }
            guard tables.has("users", "deleted_at") else {
                throw SignInError(.unprocessableContent, "validation_failed", "This database has no soft deletion")
            }
            try await transaction.run(note + belongings + softDeletion(of: id, tables.statements) + rest)
        }
        await services.ended.refresh()
        return .emptyObject
    }

    private func softDeletion(of id: String, _ statements: AccountStatements) -> [SQL] {
        [
            statements.update(of: id) { row in
                // A hash of the address, so that the address can be used again.
                row.set("email", "encode(sha256(convert_to(id::text || coalesce(email, ''), 'UTF8')), 'hex')")
                row.set("phone", "NULL")
                row.set("encrypted_password", "''")
                row.set("email_change", "''")
                row.set("raw_user_meta_data", "'{}'")
                row.set("raw_app_meta_data", "'{}'")
                row.set("deleted_at", "now()")
            },
            "DELETE FROM auth.identities WHERE user_id = \(id)",
            sessions.ending(.global, of: id, session: nil, statements.tables),
        ] + statements.tables.forgettingPasskeys(of: id)
    }

    static func id(_ context: Context) throws(SignInError) -> String {
        guard let id = RandomID.normalized(context.parameters["id"]) else {
            throw SignInError(.notFound, "validation_failed", "user_id must be an UUID")
        }
        return id
    }

    private static let maximumPerPage = 1000

    static func number(_ text: String?, default value: Int) throws(SignInError) -> Int {
        guard let text, !text.isEmpty else { return value }
        guard let number = Int(text), number > 0 else {
            throw SignInError.invalid("Bad Pagination Parameters: \"\(text.prefix(20))\"")
        }
        return number
    }

    private func link(_ page: Int, _ limit: Int) -> String { "/admin/users?page=\(page)&per_page=\(limit)" }
}
