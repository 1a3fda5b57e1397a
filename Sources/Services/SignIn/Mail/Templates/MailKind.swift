extension EmailMessage {
    /// The name of the mail's template, as in GoTrue's settings.
    var template: String {
        switch content {
        case .token(let purpose, _):
            switch purpose {
            case .confirmation: "confirmation"
            case .recovery: "recovery"
            case .magicLink: "magic_link"
            case .invitation: "invite"
            case .emailChange: "email_change"
            case .emailChangeCurrent: "email_change_current"
            case .reauthentication, .text, .phoneChange, .phoneReauthentication: "reauthentication"
            }
        case .notice(let notice): notice.type
        }
    }

    static let templates: Set<String> = Set(
        [
            "confirmation", "recovery", "magic_link", "invite", "email_change", "email_change_current",
            "reauthentication",
        ] + Notice.Kind.allCases.map { Notice($0).type }
    )
}
