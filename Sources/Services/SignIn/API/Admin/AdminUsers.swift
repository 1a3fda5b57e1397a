import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /admin/users?page=&per_page=&sort=&filter=`: all users, or those of whose address or name the filter is a
    /// part, newest first or as `sort` says.
    func adminListUsers(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let page = try Self.number(request.query["page"], default: 1)
        let limit = min(try Self.number(request.query["per_page"], default: 50), Self.maximumPerPage)
        let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: limit)
        let (users, total) = try await accounts.list(
            limit: limit,
            offset: isTooFar ? Int(Int32.max) : offset,
            matching: request.query["filter"].flatMap { $0.isEmpty ? nil : $0 },
            isOldestFirst: try Self.isAscending(request.query["sort"])
        )
        var response = Response.json { json in
            json.object { json in
                json.key("users")
                json.beginArray()
                for user in users { user.write(to: &json) }
                json.endArray()
                json.member("aud", "authenticated")
            }
        }
        response.addPages(of: "/admin/users", page, request, limit: limit, total: total)
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
        let administrator = try await requireAdministrator(request)
        let id = try Self.id(context)
        let isSoft = try Fields(request).bool("should_soft_delete") ?? false
        let account = try await accounts.existing(id: id)
        try await accounts.transaction { transaction in
            let tables = transaction.tables
            // That password would create the account again, see PasswordSignIn.
            let forgetting = tables.sql.forgetPassword(id).map { [$0] } ?? []
            let rest = sessions.shuttingOut(id, tables) + forgetting
            let entry = administrator.entry(.deleted, id, email: account.email, phone: account.phone)
            let note = tables.audit(entry, of: id)
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

    /// `created_at`, with or without a direction; descending without one.
    private static func isAscending(_ sort: String?) throws(SignInError) -> Bool {
        guard let sort, !sort.isEmpty else { return false }
        let words = sort.split(separator: " ").map { $0.lowercased() }
        guard words.first == "created_at", words.count <= 2, words.count == 1 || ["asc", "desc"].contains(words[1])
        else {
            throw SignInError.invalid("Bad Sort Parameters: bad field for sort: use created_at asc or created_at desc")
        }
        return words.last == "asc"
    }
}
