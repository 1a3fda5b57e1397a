/// What the owner of an account is told after it has happened, so that a change by somebody else is noticed.
package struct Notice: Codable, Hashable, Sendable {
    /// The names of GoTrue's settings and of the `email_action_type` of its hook; those of recovery codes are our own.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case passwordChanged = "password_changed"
        case emailChanged = "email_changed"
        case phoneChanged = "phone_changed"
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        case factorEnrolled = "mfa_factor_enrolled"
        case factorUnenrolled = "mfa_factor_unenrolled"
        case recoveryCodesRegenerated = "mfa_recovery_codes_regenerated"
        case recoveryCodeUsed = "mfa_recovery_code_used"
        case passkeyAdded = "passkey_created"
        case passkeyRemoved = "passkey_deleted"
    }

    let kind: Kind
    /// The new address or number, the provider, the kind of factor, or how many recovery codes are left; empty for a
    /// password.
    let detail: String

    init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// The detail as people write it.
    var shown: String {
        switch kind {
        case .phoneChanged: "+\(detail)"
        case .identityLinked, .identityUnlinked: Self.providers[detail] ?? detail
        default: detail
        }
    }

    private static let providers = [
        "apple": "Apple", "azure": "Microsoft", "github": "GitHub", "google": "Google", "keycloak": "Keycloak",
    ]

    /// The `email_action_type` of Supabase's hook.
    var type: String { kind.rawValue + "_notification" }
}
