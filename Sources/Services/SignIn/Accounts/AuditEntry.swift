import SwiftletJSON
import SwiftletPostgres

/// What somebody has done to an account, for `auth.audit_log_entries`.
struct AuditEntry: Sendable {
    let action: Action
    var traits: JSONObject = [:]
    /// The client's.
    var address = ""
    /// Who has done it in the account's place; nil if it was the account itself.
    var administrator: Administrator?

    /// GoTrue's words. Refreshes are not written: they would be more than all others.
    enum Action: String, Sendable {
        case login
        case logout
        case signedUp = "user_signedup"
        case repeatedSignUp = "user_repeated_signup"
        case confirmationRequested = "user_confirmation_requested"
        case recoveryRequested = "user_recovery_requested"
        case reauthenticationRequested = "user_reauthenticate_requested"
        case invited = "user_invited"
        case deleted = "user_deleted"
        case modified = "user_modified"
        case passwordUpdated = "user_updated_password"
        case factorInProgress = "factor_in_progress"
        case factorUnenrolled = "factor_unenrolled"
        case factorUpdated = "factor_updated"
        case factorDeleted = "factor_deleted"
        case challengeCreated = "challenge_created"
        case verificationAttempted = "verification_attempted"
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        case recoveryCodesGenerated = "recovery_codes_generated"
        case recoveryCodesRegenerated = "recovery_codes_regenerated"
        case recoveryCodesVerified = "recovery_codes_verified"
        case recoveryCodesDeleted = "recovery_codes_deleted"
        case passkeyCreated = "passkey_created"
        case passkeyUpdated = "passkey_updated"
        case passkeyDeleted = "passkey_deleted"

        fileprivate var type: String {
            switch self {
            case .login, .logout: "account"
            case .signedUp, .invited, .deleted: "team"
            case .modified, .passwordUpdated, .identityLinked, .identityUnlinked, .passkeyCreated, .passkeyUpdated,
                .passkeyDeleted, .repeatedSignUp, .confirmationRequested, .recoveryRequested,
                .reauthenticationRequested:
                "user"
            case .factorInProgress, .factorUnenrolled, .factorUpdated, .factorDeleted, .challengeCreated,
                .verificationAttempted, .recoveryCodesGenerated, .recoveryCodesRegenerated, .recoveryCodesVerified:
                "factor"
            case .recoveryCodesDeleted: "recovery_codes"
            }
        }
    }
}

/// Who acts by an administrator's token.
struct Administrator: Sendable {
    /// The token's `sub`; the nil UUID for a token without one.
    let id: String
    let role: String
    /// The client's.
    let address: String

    /// What is done to an account, which the entry names.
    func entry(_ action: AuditEntry.Action, _ id: String, email: String, phone: String) -> AuditEntry {
        entry(action, ["user_id": .string(id), "user_email": .string(email), "user_phone": .string(phone)])
    }

    func entry(_ action: AuditEntry.Action, _ traits: JSONObject) -> AuditEntry {
        AuditEntry(action: action, traits: traits, address: address, administrator: self)
    }
}

extension AccountTables {
    /// Writes the entry, with the account as its actor unless it was an administrator; nothing where there is no such
    /// table, or the operator wants none.
    func audit(_ entry: AuditEntry, of userID: String) -> [SQL] {
        guard has("audit_log_entries", "payload") else { return [] }
        let author: SQL
        let source: SQL
        if let administrator = entry.administrator {
            author = """
                'actor_id', \(administrator.id)::text, 'actor_username', \(administrator.role)::text,
                'actor_via_sso', false
                """
            source = ""
        } else {
            let sso: SQL = has("users", "is_sso_user") ? "u.is_sso_user" : "false"
            author = """
                'actor_id', u.id, 'actor_username', coalesce(nullif(u.email, ''), u.phone, ''), 'actor_via_sso', \(sso)
                """
            source = "FROM auth.users AS u WHERE u.id = \(userID)"
        }
        let traits: JSONValue = entry.traits.isEmpty ? .null : .object(entry.traits)
        let place: SQL = has("audit_log_entries", "ip_address") ? ", ip_address" : ""
        let address: SQL = has("audit_log_entries", "ip_address") ? ", \(entry.address)" : ""
        return [
            """
            INSERT INTO auth.audit_log_entries (instance_id, id, created_at, payload\(place))
            SELECT \(AccountSQL.instance)::uuid, gen_random_uuid(), now(), json_strip_nulls(json_build_object(
                'action', \(entry.action.rawValue)::text, \(author),
                'log_type', \(entry.action.type)::text, 'traits', \(traits.description)::json
            ))\(address) \(source)
            """
        ]
    }
}
