import SwiftletJSON
import SwiftletPostgres

/// What somebody has done to an account, for `auth.audit_log_entries`.
struct AuditEntry: Sendable {
    let action: Action
    var traits: JSONObject = [:]
    var address = ""

    /// GoTrue's words. Refreshes are not written: they would be more than all others.
    enum Action: String, Sendable {
        case login
        case logout
        case signedUp = "user_signedup"
        case invited = "user_invited"
        case deleted = "user_deleted"
        case modified = "user_modified"
        case passwordUpdated = "user_updated_password"
        case factorInProgress = "factor_in_progress"
        case factorUnenrolled = "factor_unenrolled"
        case challengeCreated = "challenge_created"
        case verificationAttempted = "verification_attempted"
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        case recoveryCodesGenerated = "recovery_codes_generated"
        case recoveryCodesRegenerated = "recovery_codes_regenerated"
        case recoveryCodesVerified = "recovery_codes_verified"
        case passkeyCreated = "passkey_created"
        case passkeyUpdated = "passkey_updated"
        case passkeyDeleted = "passkey_deleted"

        fileprivate var type: String {
            switch self {
            case .login, .logout: "account"
            case .signedUp, .invited, .deleted: "team"
            case .modified, .passwordUpdated, .identityLinked, .identityUnlinked, .passkeyCreated, .passkeyUpdated,
                .passkeyDeleted:
                "user"
            case .factorInProgress, .factorUnenrolled, .challengeCreated, .verificationAttempted,
                .recoveryCodesGenerated, .recoveryCodesRegenerated, .recoveryCodesVerified:
                "factor"
            }
        }
    }
}

extension AccountTables {
    /// Writes the entry, with the account as its actor; nothing where there is no such table, or the operator wants
    /// none.
    func audit(_ entry: AuditEntry, of userID: String) -> [SQL] {
        guard has("audit_log_entries", "payload") else { return [] }
        let sso: SQL = has("users", "is_sso_user") ? "u.is_sso_user" : "false"
        let traits: JSONValue = entry.traits.isEmpty ? .null : .object(entry.traits)
        let place: SQL = has("audit_log_entries", "ip_address") ? ", ip_address" : ""
        let address: SQL = has("audit_log_entries", "ip_address") ? ", \(entry.address)" : ""
        return [
            """
            INSERT INTO auth.audit_log_entries (instance_id, id, created_at, payload\(place))
            SELECT \(AccountSQL.instance)::uuid, gen_random_uuid(), now(), json_strip_nulls(json_build_object(
                'action', \(entry.action.rawValue)::text, 'actor_id', u.id,
                'actor_username', coalesce(nullif(u.email, ''), u.phone, ''), 'actor_via_sso', \(sso),
                'log_type', \(entry.action.type)::text, 'traits', \(traits.description)::json
            ))\(address) FROM auth.users AS u WHERE u.id = \(userID)
            """
        ]
    }
}
