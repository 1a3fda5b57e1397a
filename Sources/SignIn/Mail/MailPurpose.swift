import Postgres

/// What a one-time token is for, and the columns of GoTrue's tables that store it. Letters that wait have it by name.
enum MailPurpose: String, Codable, Sendable, CaseIterable {
    /// Confirms the address of a sign-up.
    case confirmation
    /// Signs in to reset the password.
    case recovery
    /// Signs in with a link or code instead of a password. Shares its columns with ``recovery``, as in GoTrue.
    case magicLink
    /// Confirms a change of address, sent to the new one.
    case emailChange

    /// The purposes that the `type` of a `/verify` request stands for; empty for an unknown type.
    static func named(_ type: String) -> [MailPurpose] {
        switch type {
        case "signup", "invite": [.confirmation]
        case "recovery": [.recovery]
        case "magiclink": [.magicLink, .confirmation]
        case "email": [.confirmation, .magicLink]
        case "email_change": [.emailChange]
        default: []
        }
    }

    /// The `type` in the mail's link.
    var type: String {
        switch self {
        case .confirmation: "signup"
        case .recovery: "recovery"
        case .magicLink: "magiclink"
        case .emailChange: "email_change"
        }
    }

    /// The column of `auth.users` that holds the hash, and the `token_type` of `auth.one_time_tokens`.
    var tokenColumn: StaticString {
        switch self {
        case .confirmation: "confirmation_token"
        case .recovery, .magicLink: "recovery_token"
        case .emailChange: "email_change_token_new"
        }
    }

    var sentColumn: StaticString {
        switch self {
        case .confirmation: "confirmation_sent_at"
        case .recovery, .magicLink: "recovery_sent_at"
        case .emailChange: "email_change_sent_at"
        }
    }
}

extension MailPurpose {
    var token: SQL { SQL(text: tokenColumn.description) }
    var sent: SQL { SQL(text: sentColumn.description) }
}
