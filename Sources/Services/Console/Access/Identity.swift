import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Who is asked about: a database role and the claims of a token.
struct Identity: Sendable {
    let role: String
    let claims: JSONObject

    /// From `{"kind": "account" | "anon" | "service" | "claims", "account": …, "claims": …}`.
    static func find(_ json: JSONObject, in transaction: Transaction) async throws -> Identity {
        switch json["kind"]?.string ?? "account" {
        case "anon": return Identity(role: "anon", claims: ["role": "anon"])
        case "service": return Identity(role: "service_role", claims: ["role": "service_role"])
        case "device":
            return try await account(json["account"]?.string ?? "", in: transaction)
        case "claims":
            let claims = json["claims"]?.object ?? [:]
            return Identity(role: claims["role"]?.string ?? "authenticated", claims: claims)
        default: return try await account(json["account"]?.string ?? "", in: transaction)
        }
    }

    /// The claims that a session of the account would have. `name` is an id or an address.
    private static func account(_ name: String, in transaction: Transaction) async throws -> Identity {
        let rows = try await transaction.query(
            """
            SELECT json_build_object('sub', id, 'aud', coalesce(nullif(aud, ''), 'authenticated'), 'email', email,
                'phone', coalesce(phone, ''), 'role', coalesce(nullif(role, ''), 'authenticated'), 'aal', 'aal1',
                'app_metadata', coalesce(raw_app_meta_data, '{}'), 'user_metadata', coalesce(raw_user_meta_data, '{}'),
                'is_anonymous', coalesce(is_anonymous, false))::text AS claims
            FROM auth.users WHERE id::text = \(name) OR lower(email) = lower(\(name)) LIMIT 1
            """
        )
        guard let text = rows.first?["claims"], let claims = try JSONParser.parse(Array(text.utf8)).object else {
            throw ConsoleError(404, "NO_ACCOUNT", "There is no account \(name).")
        }
        return Identity(role: claims["role"]?.string ?? "authenticated", claims: claims)
    }

    /// Makes the rest of the transaction run as a request of theirs does.
    func assume(in transaction: Transaction) async throws {
        let claims = JSONValue.object(claims).description
        try await transaction.query(
            """
            SELECT set_config('role', \(role), true), set_config('request.jwt.claims', \(claims), true),
                set_config('request.method', 'GET', true), set_config('request.path', '/', true),
                set_config('request.headers', '{}', true), set_config('request.cookies', '{}', true)
            """
        )
    }
}
