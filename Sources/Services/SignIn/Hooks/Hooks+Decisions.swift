import SwiftletHTTP
import SwiftletJSON

extension Hooks {
    // MARK: Tokens

    /// The claims that must stay in a token, whatever the hook does.
    private static let required = ["aud", "exp", "iat", "email", "phone", "role"]
    /// What says whose token it is, and how its user was authenticated. GoTrue lets hooks change the latter.
    private static let fixed = ["iss", "sub", "session_id", "aal", "is_anonymous", "iat"]
    /// Roles that see every account's rows, which no user's token gets.
    private static let administrators: Set<String> = [
        "service_role", "supabase_admin", "supabase_auth_admin", "postgres",
    ]

    /// The claims of an access token as the hook wants them. Throws ``SignInError`` 500 if one is missing, or if the
    /// token would be another user's, an administrator's, or valid for longer.
    func claims(_ claims: JSONObject, of userID: String, by method: String) async throws -> JSONObject {
        let payload: JSONObject = [
            "user_id": .string(userID), "claims": .object(claims), "authentication_method": .string(method),
        ]
        guard let answer = try await ask(.customAccessToken, payload) else { return claims }
        guard let changed = answer["claims"]?.object else { throw SignInError.hookFailed("it returns no claims") }
        for name in Self.required where changed[name] == nil || changed[name]?.isNull == true {
            throw SignInError.hookFailed("its claims lack \(name)")
        }
        for name in Self.fixed where changed[name] != claims[name] {
            throw SignInError.hookFailed("its claims have another \(name)")
        }
        guard let role = changed["role"]?.string, !Self.administrators.contains(role) || role == claims["role"]?.string
        else { throw SignInError.hookFailed("its claims have an administrator's role") }
        guard let end = changed["exp"]?.int, let latest = claims["exp"]?.int, end <= latest else {
            throw SignInError.hookFailed("its claims have a later exp")
        }
        return changed
    }

    // MARK: Attempts

    /// What a hook says about an attempt to sign in.
    struct Decision: Sendable {
        let isRejected: Bool
        let message: String
        let endsSessions: Bool
    }

    private static func decision(_ answer: JSONValue?, _ standard: String) throws(SignInError) -> Decision {
        switch answer?["decision"]?.string {
        case nil where answer == nil: return Decision(isRejected: false, message: "", endsSessions: false)
        case "continue": return Decision(isRejected: false, message: "", endsSessions: false)
        case "reject":
            let message = answer?["message"]?.string.flatMap { $0.isEmpty ? nil : String($0.prefix(1000)) }
            return Decision(
                isRejected: true,
                message: message ?? standard,
                endsSessions: answer?["should_logout_user"]?.bool ?? false
            )
        default: throw SignInError.hookFailed("it decides neither continue nor reject")
        }
    }

    func passwordAttempt(of userID: String, isValid: Bool, from address: String) async throws -> Decision {
        let payload: JSONObject = ["user_id": .string(userID), "valid": .bool(isValid)]
        return try Self.decision(
            try await ask(.passwordVerificationAttempt, payload, from: address),
            "Further password verification attempts will be rejected."
        )
    }

    func factorAttempt(
        of userID: String,
        _ factor: Factor,
        isValid: Bool,
        from address: String
    ) async throws -> Decision {
        let payload: JSONObject = [
            "user_id": .string(userID), "factor_id": .string(factor.id), "factor_type": .string(factor.type),
            "valid": .bool(isValid),
        ]
        return try Self.decision(
            try await ask(.factorVerificationAttempt, payload, from: address),
            "Further MFA verification attempts will be rejected."
        )
    }

    // MARK: Sign-up

    /// Throws ``SignInError`` if the hook wants no such account.
    func admit(_ new: NewAccount, from address: String) async throws {
        guard has(.beforeUserCreated) else { return }
        let user: JSONObject = [
            "id": .string(new.id), "aud": .string(new.audience), "role": .string(new.role),
            "email": .string(new.email ?? ""), "phone": .string(new.phone ?? ""),
            "app_metadata": .object(new.appMetadata), "user_metadata": .object(new.userMetadata), "identities": [],
            "is_anonymous": .bool(new.isAnonymous),
        ]
        _ = try await ask(.beforeUserCreated, ["user": .object(user)], from: address)
    }
}
