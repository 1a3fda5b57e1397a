/// The sentences of a mail.
struct MailWords: Sendable {
    let subject: String
    let opening: String
    /// What the link does; nil for a mail without one.
    var action: String?
    var closing = "If you did not request this, ignore this mail."

    init(_ content: EmailMessage.Content, site: String) {
        switch content {
        case .token(let purpose, _): self.init(purpose, site: site)
        case .notice(let notice): self.init(notice, site: site)
        }
    }

    private init(_ purpose: MailPurpose, site: String) {
        switch purpose {
        case .confirmation:
            subject = "Confirm your sign-up"
            opening = "Welcome! Please confirm your address to activate your account at \(site)."
            action = "Confirm this address"
        case .invitation:
            subject = "You have been invited"
            opening = "You have been invited to create an account at \(site)."
            action = "Accept the invitation"
        case .recovery:
            subject = "Reset your password"
            opening = "Someone requested to reset your password at \(site)."
            action = "Reset the password"
        case .magicLink:
            subject = "Your sign-in link"
            opening = "Follow the link to sign in at \(site)."
            action = "Sign in"
        case .emailChange:
            subject = "Confirm your new address"
            opening = "Someone requested to change the email address of your account at \(site)."
            action = "Confirm the change"
        case .emailChangeCurrent:
            subject = "Confirm the change of your address"
            opening = "Someone requested to give your account at \(site) another email address."
            action = "Confirm the change"
            closing = "If this was not you, ignore this mail, and change your password: somebody may know it."
        // Texts are the hook's to write.
        case .reauthentication, .text, .phoneChange, .phoneReauthentication:
            subject = "Your confirmation code"
            opening = "Confirm that it is you who changes your account at \(site)."
        }
    }

    private init(_ notice: Notice, site: String) {
        closing = "If this was not you, reset your password now, and tell us."
        switch notice.kind {
        case .passwordChanged:
            subject = "Your password has been changed"
            opening = "The password of your account at \(site) has been changed."
        case .emailChanged:
            subject = "Your address has been changed"
            opening = "The email address of your account at \(site) is now \(notice.detail)."
        case .phoneChanged:
            subject = "Your phone number has been changed"
            opening = "The phone number of your account at \(site) is now \(notice.detail)."
        case .identityLinked:
            subject = "A sign-in method has been added"
            opening = "Your account at \(site) can now be opened with \(notice.detail)."
        case .identityUnlinked:
            subject = "A sign-in method has been removed"
            opening = "Your account at \(site) can no longer be opened with \(notice.detail)."
        case .factorEnrolled:
            subject = "A second factor has been added"
            opening = "A second factor (\(notice.detail)) has been added to your account at \(site)."
        case .factorUnenrolled:
            subject = "A second factor has been removed"
            opening = "A second factor (\(notice.detail)) has been removed from your account at \(site)."
        case .passkeyAdded:
            subject = "A passkey has been added"
            opening = "Your account at \(site) can now be opened with a new passkey."
        case .passkeyRemoved:
            subject = "A passkey has been removed"
            opening = "Your account at \(site) can no longer be opened with a passkey that you had."
        }
    }
}
