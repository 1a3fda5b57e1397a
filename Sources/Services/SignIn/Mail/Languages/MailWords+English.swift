extension MailWords {
    static func english(_ purpose: MailPurpose, _ site: String) -> MailWords {
        switch purpose {
        case .confirmation:
            english(
                "Confirm your sign-up",
                "Welcome! Please confirm your address to activate your account at \(site).",
                action: "Confirm this address"
            )
        case .invitation:
            english(
                "You have been invited",
                "You have been invited to create an account at \(site).",
                action: "Accept the invitation"
            )
        case .recovery:
            english(
                "Reset your password",
                "Someone requested to reset your password at \(site).",
                action: "Reset the password"
            )
        case .magicLink:
            english(
                "Your sign-in link",
                "Follow the link to sign in at \(site).",
                action: "Sign in"
            )
        case .emailChange:
            english(
                "Confirm your new address",
                "Someone requested to change the email address of your account at \(site).",
                action: "Confirm the change"
            )
        case .emailChangeCurrent:
            english(
                "Confirm the change of your address",
                "Someone requested to give your account at \(site) another email address.",
                action: "Confirm the change",
                closing:
                    "If this was not you, ignore this mail, and change your password: somebody may know it."
            )
        // Texts are the hook's to write.
        case .reauthentication, .text, .phoneChange, .phoneReauthentication:
            english(
                "Your confirmation code",
                "Confirm that it is you who changes your account at \(site)."
            )
        }
    }

    static func english(_ notice: Notice, _ site: String) -> MailWords {
        switch notice.kind {
        case .passwordChanged:
            english(
                "Your password has been changed",
                "The password of your account at \(site) has been changed.",
                closing: englishAlarm
            )
        case .emailChanged:
            english(
                "Your address has been changed",
                "The email address of your account at \(site) is now \(notice.shown).",
                closing: englishAlarm
            )
        case .phoneChanged:
            english(
                "Your phone number has been changed",
                "The phone number of your account at \(site) is now \(notice.shown).",
                closing: englishAlarm
            )
        case .identityLinked:
            english(
                "A sign-in method has been added",
                "Your account at \(site) can now be opened with \(notice.shown).",
                closing: englishAlarm
            )
        case .identityUnlinked:
            english(
                "A sign-in method has been removed",
                "Your account at \(site) can no longer be opened with \(notice.shown).",
                closing: englishAlarm
            )
        case .factorEnrolled:
            english(
                "A second factor has been added",
                "A second factor (\(notice.shown)) has been added to your account at \(site).",
                closing: englishAlarm
            )
        case .factorUnenrolled:
            english(
                "A second factor has been removed",
                "A second factor (\(notice.shown)) has been removed from your account at \(site).",
                closing: englishAlarm
            )
        case .recoveryCodesRegenerated:
            english(
                "Your recovery codes have been replaced",
                "Your account at \(site) has got new recovery codes. Those that you had no longer work.",
                closing: englishAlarm
            )
        case .recoveryCodeUsed:
            english(
                "A recovery code has been used",
                "Somebody has signed in to your account at \(site) with a recovery code. Left: \(notice.shown).",
                closing: englishAlarm
            )
        case .passkeyAdded:
            english(
                "A passkey has been added",
                "Your account at \(site) can now be opened with a new passkey.",
                closing: englishAlarm
            )
        case .passkeyRemoved:
            english(
                "A passkey has been removed",
                "Your account at \(site) can no longer be opened with a passkey that you had.",
                closing: englishAlarm
            )
        }
    }

    private static let englishAlarm =
        "If this was not you, reset your password now, and tell us."

    private static func english(
        _ subject: String,
        _ opening: String,
        action: String? = nil,
        closing: String = "If you did not request this, ignore this mail."
    ) -> MailWords {
        MailWords(
            subject: subject,
            opening: opening,
            action: action,
            closing: closing,
            orCode: "Or enter this code:",
            code: "Enter this code:",
            language: .english
        )
    }
}
