extension MailWords {
    static func german(_ purpose: MailPurpose, _ site: String) -> MailWords {
        switch purpose {
        case .confirmation:
            german(
                "Bestätigen Sie Ihre Anmeldung",
                "Willkommen! Bitte bestätigen Sie Ihre Adresse, um Ihr Konto bei \(site) zu aktivieren.",
                action: "Adresse bestätigen"
            )
        case .invitation:
            german(
                "Sie sind eingeladen",
                "Sie sind eingeladen, ein Konto bei \(site) zu eröffnen.",
                action: "Einladung annehmen"
            )
        case .recovery:
            german(
                "Setzen Sie Ihr Passwort zurück",
                "Jemand hat darum gebeten, Ihr Passwort bei \(site) zurückzusetzen.",
                action: "Passwort zurücksetzen"
            )
        case .magicLink:
            german(
                "Ihr Link zum Anmelden",
                "Folgen Sie dem Link, um sich bei \(site) anzumelden.",
                action: "Anmelden"
            )
        case .emailChange:
            german(
                "Bestätigen Sie Ihre neue Adresse",
                "Jemand hat darum gebeten, die E-Mail-Adresse Ihres Kontos bei \(site) zu ändern.",
                action: "Änderung bestätigen"
            )
        case .emailChangeCurrent:
            german(
                "Bestätigen Sie die Änderung Ihrer Adresse",
                "Jemand hat darum gebeten, Ihrem Konto bei \(site) eine andere E-Mail-Adresse zu geben.",
                action: "Änderung bestätigen",
                closing:
                    "Wenn Sie das nicht waren, beachten Sie diese Mail nicht, und ändern Sie Ihr Passwort: Es könnte jemandem bekannt sein."
            )
        // Texts are the hook's to write.
        case .reauthentication, .text, .phoneChange, .phoneReauthentication:
            german(
                "Ihr Bestätigungscode",
                "Bestätigen Sie, dass Sie es sind, der Ihr Konto bei \(site) ändert."
            )
        }
    }

    static func german(_ notice: Notice, _ site: String) -> MailWords {
        switch notice.kind {
        case .passwordChanged:
            german(
                "Ihr Passwort wurde geändert",
                "Das Passwort Ihres Kontos bei \(site) wurde geändert.",
                closing: germanAlarm
            )
        case .emailChanged:
            german(
                "Ihre Adresse wurde geändert",
                "Die E-Mail-Adresse Ihres Kontos bei \(site) ist jetzt \(notice.shown).",
                closing: germanAlarm
            )
        case .phoneChanged:
            german(
                "Ihre Telefonnummer wurde geändert",
                "Die Telefonnummer Ihres Kontos bei \(site) ist jetzt \(notice.shown).",
                closing: germanAlarm
            )
        case .identityLinked:
            german(
                "Ein Anmeldeverfahren wurde hinzugefügt",
                "Ihr Konto bei \(site) kann jetzt mit \(notice.shown) geöffnet werden.",
                closing: germanAlarm
            )
        case .identityUnlinked:
            german(
                "Ein Anmeldeverfahren wurde entfernt",
                "Ihr Konto bei \(site) kann nicht mehr mit \(notice.shown) geöffnet werden.",
                closing: germanAlarm
            )
        case .factorEnrolled:
            german(
                "Ein zweiter Faktor wurde hinzugefügt",
                "Ihrem Konto bei \(site) wurde ein zweiter Faktor (\(notice.shown)) hinzugefügt.",
                closing: germanAlarm
            )
        case .factorUnenrolled:
            german(
                "Ein zweiter Faktor wurde entfernt",
                "Von Ihrem Konto bei \(site) wurde ein zweiter Faktor (\(notice.shown)) entfernt.",
                closing: germanAlarm
            )
        case .recoveryCodesRegenerated:
            german(
                "Ihre Wiederherstellungscodes wurden ersetzt",
                "Ihr Konto bei \(site) hat neue Wiederherstellungscodes. Die bisherigen gelten nicht mehr.",
                closing: germanAlarm
            )
        case .recoveryCodeUsed:
            german(
                "Ein Wiederherstellungscode wurde verwendet",
                "Ihr Konto bei \(site) wurde mit einem Wiederherstellungscode geöffnet. Übrig: \(notice.shown).",
                closing: germanAlarm
            )
        case .passkeyAdded:
            german(
                "Ein Passkey wurde hinzugefügt",
                "Ihr Konto bei \(site) kann jetzt mit einem neuen Passkey geöffnet werden.",
                closing: germanAlarm
            )
        case .passkeyRemoved:
            german(
                "Ein Passkey wurde entfernt",
                "Ihr Konto bei \(site) kann mit einem Ihrer Passkeys nicht mehr geöffnet werden.",
                closing: germanAlarm
            )
        }
    }

    private static let germanAlarm =
        "Wenn Sie das nicht waren, setzen Sie jetzt Ihr Passwort zurück, und sagen Sie uns Bescheid."

    private static func german(
        _ subject: String,
        _ opening: String,
        action: String? = nil,
        closing: String = "Wenn Sie das nicht angefordert haben, beachten Sie diese Mail nicht."
    ) -> MailWords {
        MailWords(
            subject: subject,
            opening: opening,
            action: action,
            closing: closing,
            orCode: "Oder geben Sie diesen Code ein:",
            code: "Geben Sie diesen Code ein:",
            language: .german
        )
    }
}
