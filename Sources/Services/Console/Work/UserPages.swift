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
        let search = UserSearch(asked.request.query["search"] ?? "")
        return try await database.read { .text(try await search.run(in: $0)) }
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
        func set(_ fields: JSONObject, as action: String, _ then: Follow? = nil) async throws -> Response {
            try await send(asked, .put, path, fields, as: action, id, then)
        }
        switch body["action"]?.string ?? "" {
        case "create":
            // An account has an address or a number; either counts as confirmed.
            let kind = body["phone"]?.string?.isEmpty == false ? "phone" : "email"
            let name = body[kind]?.string ?? ""
            let fields: JSONObject = [
                kind: .string(name), "password": body["password"] ?? .null, "\(kind)_confirm": true,
            ]
            return try await send(asked, .post, Self.accounts, fields, as: "create user", name)
        case "ban": return try await set(["ban_duration": "876000h"], as: "ban user")
        case "unban": return try await set(["ban_duration": "none"], as: "unban user")
        case "confirm":
            let kind = body["phone"]?.bool == true ? "phone" : "email"
            return try await set(["\(kind)_confirm": true], as: "confirm user")
        case "password":
            let ends = body["signOut"]?.bool == true
            return try await set(["password": body["password"] ?? .null], as: "set password", ends ? Self.signOut : nil)
        case "delete": return try await send(asked, .delete, path, nil, as: "delete user", id)
        case "signout": return try await signOut(asked, id, session: nil)
        case "end session": return try await signOut(asked, id, session: body["session"]?.string ?? "")
        case "recover": return try await mailLink(asked, id)
        default: throw ConsoleError.bad("What is to be done?")
        }
    }

    /// A token of an account, for minutes; the reason stays in the audit.
    func impersonate(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.owner)
        let body = try asked.body()
        guard let reason = body["reason"]?.string, reason.count >= 3 else {
            throw ConsoleError.bad("Say why: the reason stays in the audit.")
        }
        let minutes = min(max(body["minutes"]?.int ?? 5, 1), Self.maximumTokenMinutes)
        return try await database.write { transaction in
            let identity = try await Identity.find(
                ["kind": "account", "account": body["id"] ?? ""],
                in: transaction
            )
            var claims = identity.claims
            claims["act"] = ["sub": .string(asked.visitor.name)]
            let token = try service.token(claims, seconds: minutes * 60)
            let entry = OperatorAction(
                action: "impersonate",
                object: claims["sub"]?.string ?? "",
                after: JSONValue.object(["reason": .string(reason), "minutes": .number(JSONNumber(minutes))])
                    .description
            )
            let number = try await entry.write(asked, in: transaction)
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
        return try await send(asked, .post, "/auth/v1/recover", ["email": .string(email)], as: "mail link", id)
    }

    /// Ends all sessions of the account, or one.
    private func signOut(_ asked: ConsoleRequest, _ id: String, session: String?) async throws -> Response {
        try await database.write { transaction in
            let ended = try await transaction.json(
                """
                WITH gone AS (
                    DELETE FROM auth.sessions
                    WHERE user_id::text = \(id) AND (\(session)::text IS NULL OR id::text = \(session))
                    RETURNING id, created_at, user_agent, ip::text AS address
                )
                SELECT json_build_object('sessions', coalesce(json_agg(gone), '[]')) FROM gone
                """
            )
            let entry = OperatorAction(
                action: "sign out user",
                object: id,
                before: ended,
                after: #"{"sessions":[]}"#
            )
            return .done(try await entry.write(asked, in: transaction))
        }
    }

    private typealias Follow = @Sendable (Transaction, String) async throws -> Void

    private static let signOut: Follow = { transaction, id in
        try await transaction.query("DELETE FROM auth.sessions WHERE user_id::text = \(id)")
    }

    /// Has `/auth/v1` change the account, and writes what it was before and after. `name` is an id, or the address of an
    /// account that is to be made.
    private func send(
        _ asked: ConsoleRequest,
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: JSONObject?,
        as action: String,
        _ name: String,
        _ then: Follow? = nil
    ) async throws -> Response {
        try await database.write { transaction in
            let before = try await Self.account(name, transaction)
            let answer = try await service.send(asked, method, path, body)
            guard answer.isSuccess else { throw ServiceCall.refusal(answer) }
            try await then?(transaction, name)
            let entry = OperatorAction(
                action: action,
                object: name,
                before: before,
                after: try await Self.account(name, transaction)
            )
            return .done(try await entry.write(asked, in: transaction))
        }
    }

    /// The account without what would let in; nil if there is none.
    private static func account(_ name: String, _ transaction: Transaction) async throws -> String? {
        let row = try await transaction.json(
            """
            SELECT (SELECT json_object_agg(key, CASE WHEN value <> 'null' AND key ~ \(Self.secrets)
                        THEN to_jsonb('•••'::text) ELSE value END)
                    FROM jsonb_each(to_jsonb(u)))
            FROM auth.users u WHERE id::text = \(name) OR lower(email) = lower(\(name))
                OR phone = ltrim(replace(\(name), ' ', ''), '+') LIMIT 1
            """
        )
        return row == "null" ? nil : row
    }

    private static let secrets = "password|secret|token|hash"
    private var service: ServiceCall { ServiceCall(settings: settings) }
}
