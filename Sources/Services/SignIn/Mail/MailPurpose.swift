import SwiftletPostgres

/// What a one-time token is for, and the columns of GoTrue's tables that store it. Emails and texts that wait have it
/// by name.
enum MailPurpose: String, Codable, Sendable, CaseIterable {
    /// Confirms the address of a sign-up.
    case confirmation
    /// Signs in to reset the password.
    case recovery
    /// Signs in with a link or code instead of a password. Shares its columns with ``recovery``, as in GoTrue.
    case magicLink
    /// Confirms the address of an account that an administrator has made. Shares its columns with ``confirmation``.
    case invitation
    /// Confirms a change of address, sent to the new one.
    case emailChange
    /// Confirms the same change, sent to the current address.
    case emailChangeCurrent
    /// Proves that whoever has the session also has the mailbox: a code alone, which opens no session.
    case reauthentication
    /// Confirms the number of a sign-up, or signs in: a code by text. Shares its columns with ``confirmation``.
    case text
    /// Confirms a change of number, sent to the new one.
    case phoneChange
    /// The same as ``reauthentication`` for an account without an address: a code by text.
    case phoneReauthentication

    /// The purposes that the `type` of a `/verify` request stands for; empty for an unknown type.
    static func named(_ type: String) -> [MailPurpose] {
        switch type {
        case "signup": [.confirmation]
        case "invite": [.invitation]
        case "recovery": [.recovery]
        case "magiclink": [.magicLink, .confirmation]
        case "email": [.confirmation, .magicLink]
        case "email_change": [.emailChange, .emailChangeCurrent]
        default: []
        }
    }

    /// The same for a code that was sent by text.
    static func texted(_ type: String) -> MailPurpose? {
        switch type {
        case "sms": .text
        case "phone_change": .phoneChange
        default: nil
        }
    }

    /// The `type` in the mail's link.
    var type: String {
        switch self {
        case .confirmation: "signup"
        case .recovery: "recovery"
        case .magicLink: "magiclink"
        case .invitation: "invite"
        case .emailChange, .emailChangeCurrent: "email_change"
        case .reauthentication, .phoneReauthentication: "reauthentication"
        case .text: "sms"
        case .phoneChange: "phone_change"
        }
    }

    /// The column of `auth.users` that holds the hash, and the `token_type` of `auth.one_time_tokens`.
    var tokenColumn: StaticString {
        switch self {
        case .confirmation, .invitation, .text: "confirmation_token"
        case .recovery, .magicLink: "recovery_token"
        case .emailChange: "email_change_token_new"
        case .emailChangeCurrent: "email_change_token_current"
        case .reauthentication, .phoneReauthentication: "reauthentication_token"
        case .phoneChange: "phone_change_token"
        }
    }

    var sentColumn: StaticString {
        switch self {
        case .confirmation, .invitation, .text: "confirmation_sent_at"
        case .recovery, .magicLink: "recovery_sent_at"
        case .emailChange, .emailChangeCurrent: "email_change_sent_at"
        case .reauthentication, .phoneReauthentication: "reauthentication_sent_at"
        case .phoneChange: "phone_change_sent_at"
        }
    }

    /// Whether it is sent by text, not by mail.
    var isText: Bool { [.text, .phoneChange, .phoneReauthentication].contains(self) }

    /// Whether it is one of the two sides of a change of address.
    var changesAddress: Bool { self == .emailChange || self == .emailChangeCurrent }
}

extension MailPurpose {
    var token: SQL { SQL(text: tokenColumn.description) }
    var sent: SQL { SQL(text: sentColumn.description) }
}
