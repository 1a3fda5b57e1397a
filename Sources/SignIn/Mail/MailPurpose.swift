internal import Postgres

/// What a one-time token is for, and where GoTrue's tables keep it.
package enum MailPurpose: Hashable, Sendable, CaseIterable {
    /// That the address given at sign-up is the user's.
    case confirmation
    /// Back in without the password.
    case recovery
    /// A sign-in by link or code instead of a password. Shares its place with ``recovery``, as in GoTrue.
    case magicLink
    /// To the new address.
    case emailChange
    /// To the address that is about to be given up.
    case emailChangeCurrent
    /// That it is still the user, before something that matters.
    case reauthentication

    /// The purposes that a client may mean by the `type` of `/verify`; empty for an unknown word.
    package static func named(_ type: String) -> [MailPurpose] {
        switch type {
        case "signup", "invite": [.confirmation]
        case "recovery": [.recovery]
        case "magiclink": [.magicLink, .confirmation]
        case "email": [.confirmation, .magicLink]
        case "email_change": [.emailChange, .emailChangeCurrent]
        case "reauthentication": [.reauthentication]
        default: []
        }
    }

    /// The `type` in the link of such a mail.
    package var type: String {
        switch self {
        case .confirmation: "signup"
        case .recovery: "recovery"
        case .magicLink: "magiclink"
        case .emailChange, .emailChangeCurrent: "email_change"
        case .reauthentication: "reauthentication"
        }
    }

    /// The column of `auth.users` that holds the hash, and the `token_type` of `auth.one_time_tokens`.
    var tokenColumn: StaticString {
        switch self {
        case .confirmation: "confirmation_token"
        case .recovery, .magicLink: "recovery_token"
        case .emailChange: "email_change_token_new"
        case .emailChangeCurrent: "email_change_token_current"
        case .reauthentication: "reauthentication_token"
        }
    }

    var sentColumn: StaticString {
        switch self {
        case .confirmation: "confirmation_sent_at"
        case .recovery, .magicLink: "recovery_sent_at"
        case .emailChange, .emailChangeCurrent: "email_change_sent_at"
        case .reauthentication: "reauthentication_sent_at"
        }
    }

    /// The column with the address that the mail went to.
    var addressColumn: StaticString { self == .emailChange ? "email_change" : "email" }
}

extension MailPurpose {
    var token: SQL { SQL(text: tokenColumn.description) }
    var sent: SQL { SQL(text: sentColumn.description) }
    var address: SQL { SQL(text: addressColumn.description) }
}
