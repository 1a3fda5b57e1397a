import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Accounts. Changes go through `/auth/v1/admin`, so that its rules hold here too.
struct UserPages: Sendable {
    let database: ConsoleDatabase
    let settings: ConsoleSettings

    static let maximumTokenMinutes = 15
    private static let accounts = "/auth/v1/admin/users"

    func list(_ asked: ConsoleRequest) async throws -> Response {
        let search = asked.request.query["search"] ?? ""
        return try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT coalesce(json_agg(u), '[]') FROM (
                        SELECT id, email, phone, role, created_at, last_sign_in_at, banned_until > now() AS banned,
                            email_confirmed_at IS NOT NULL AS confirmed, coalesce(is_anonymous, false) AS anonymous,
                            raw_app_meta_data AS app_metadata, raw_user_meta_data AS user_metadata
                        FROM auth.users
                        WHERE \(search) = '' OR position(lower(\(search)) IN lower(coalesce(email, ''))) > 0
                            OR phone = \(search) OR id::text = \(search)
                        ORDER BY created_at DESC NULLS LAST, id LIMIT 100
                    ) u
                    """
                )
            )
        }
    }

    func show(_ asked: ConsoleRequest) async throws -> Response {
        let id = asked.context.parameters["id"]
        return try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT coalesce(json_agg(s ORDER BY s.created_at DESC), '[]') FROM (
                        SELECT id, created_at, updated_at, user_agent, ip::text, aal::text
                        FROM auth.sessions WHERE user_id::text = \(id)
                    ) s
                    """
                )
            )
        }
    }

    /// `{"action": "create" | "ban" | "unban" | "password" | "confirm" | "delete" | "signout", …}`
    func change(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let body = try asked.body()
        let id = body["id"]?.string ?? ""
        guard id.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { throw ConsoleError.notFound }
        let path = Self.accounts + (id.isEmpty ? "" : "/\(id)")
        switch body["action"]?.string ?? "" {
        case "create":
            let email = body["email"]?.string ?? ""
            return try await send(
                asked,
                .post,
                Self.accounts,
                ["email": .string(email), "password": body["password"] ?? .null, "email_confirm": true],
                as: "create user",
                object: email
            )
        case "ban": return try await send(asked, .put, path, ["ban_duration": "876000h"], as: "ban user", object: id)
        case "unban": return try await send(asked, .put, path, ["ban_duration": "none"], as: "unban user", object: id)
        case "confirm":
            return try await send(asked, .put, path, ["email_confirm": true], as: "confirm user", object: id)
        case "password":
            let answer = try await send(
                asked,
                .put,
                path,
                ["password": body["password"] ?? .null],
                as: "set password",
                object: id
            )
            if answer.status.rawValue < 300, body["signOut"]?.bool == true { try await signOut(asked, id) }
            return answer
        case "delete": return try await send(asked, .delete, path, nil, as: "delete user", object: id)
        case "signout":
            try await signOut(asked, id)
            return .success
        case "end session":
            try await signOut(asked, id, session: body["session"]?.string ?? "")
            return .success
        case "recover": return try await mailLink(asked, id)
        default: throw ConsoleError.bad("What is to be done?")
        }
    }

    /// A token of an account, for minutes; the reason stays in the audit.
    func impersonate(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.owner)
        let body = try asked.body()
        guard let issuer = settings.issuer else { throw ConsoleError.bad("This server issues no tokens.") }
        guard let reason = body["reason"]?.string, reason.count >= 3 else {
            throw ConsoleError.bad("Say why: the reason stays in the audit.")
        }
        let minutes = min(max(body["minutes"]?.int ?? 5, 1), Self.maximumTokenMinutes)
        let now = settings.clock.milliseconds() / 1000
        return try await database.write { transaction in
            let identity = try await Identity.find(
                ["kind": "account", "account": body["id"] ?? ""],
                in: transaction
            )
            var claims = identity.claims
            claims["iss"] = .string(settings.issuerName)
            claims["iat"] = .number(JSONNumber(now))
            claims["exp"] = .number(JSONNumber(now + minutes * 60))
            claims["act"] = ["sub": .string(asked.visitor.name)]
            let entry = AuditEntry(
                action: "impersonate",
                object: claims["sub"]?.string ?? "",
                after: JSONValue.object(["reason": .string(reason), "minutes": .number(JSONNumber(minutes))])
                    .description
            )
            let number = try await entry.write(asked, in: transaction)
            let token = try issuer.issue(payload: Array(JSONValue.object(claims).description.utf8))
            return .json([
                "token": .string(token), "minutes": .number(JSONNumber(minutes)), "audit": .number(JSONNumber(number)),
            ])
        }
    }

    /// Has a link to set a password mailed, as if the account's owner had asked.
    private func mailLink(_ asked: ConsoleRequest, _ id: String) async throws -> Response {
        let email = try await database.read { transaction in
            try await transaction.query("SELECT email FROM auth.users WHERE id::text = \(id)").first?["email"]
        }
        guard let email else { throw ConsoleError.bad("The account has no address.") }
        return try await send(
            asked,
            .post,
            "/auth/v1/recover",
            ["email": .string(email)],
            as: "mail link",
            object: id
        )
    }

    /// Ends all sessions of the account, or one.
    private func signOut(_ asked: ConsoleRequest, _ id: String, session: String? = nil) async throws {
        try await database.write { transaction in
            let rows = try await transaction.query(
                """
                DELETE FROM auth.sessions
                WHERE user_id::text = \(id) AND (\(session)::text IS NULL OR id::text = \(session)) RETURNING id
                """
            )
            let after = #"{"sessions":\#(rows.count)}"#
            try await AuditEntry(action: "sign out user", object: id, after: after).write(asked, in: transaction)
        }
    }

    private func send(
        _ asked: ConsoleRequest,
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: JSONObject?,
        as action: String,
        object: String
    ) async throws -> Response {
        guard let issuer = settings.issuer else { throw ConsoleError.bad("This server keeps no accounts.") }
        let now = settings.clock.milliseconds() / 1000
        let claims: JSONObject = [
            "role": "service_role", "iss": .string(settings.issuerName), "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 30)),
        ]
        let token = try issuer.issue(payload: Array(JSONValue.object(claims).description.utf8))
        var headers = Headers()
        headers.append(.authorization, "Bearer \(token)")
        headers.append(.contentType, "application/json")
        let request = try Request(
            method: method,
            target: path,
            headers: headers,
            body: body.map { Array(JSONValue.object($0).description.utf8) } ?? [],
            remoteAddress: asked.request.remoteAddress
        )
        let answer = await settings.call(request)
        if answer.status.rawValue < 300 {
            try await database.write { transaction in
                _ = try await AuditEntry(action: action, object: object).write(asked, in: transaction)
            }
            return .success
        }
        let said = try? JSONParser.parse(answer.body)
        let message = said?["msg"]?.string ?? said?["message"]?.string ?? "It was refused."
        throw ConsoleError(answer.status, "REFUSED", message)
    }
}
