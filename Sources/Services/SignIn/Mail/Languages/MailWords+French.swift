extension MailWords {
    static func french(_ purpose: MailPurpose, _ site: String) -> MailWords {
        switch purpose {
        case .confirmation:
            french(
                "Confirmez votre inscription",
                "Bienvenue ! Confirmez votre adresse pour activer votre compte sur \(site).",
                action: "Confirmer l'adresse"
            )
        case .invitation:
            french(
                "Vous êtes invité",
                "Vous êtes invité à créer un compte sur \(site).",
                action: "Accepter l'invitation"
            )
        case .recovery:
            french(
                "Réinitialisez votre mot de passe",
                "Quelqu'un a demandé à réinitialiser votre mot de passe sur \(site).",
                action: "Réinitialiser le mot de passe"
            )
        case .magicLink:
            french(
                "Votre lien de connexion",
                "Suivez le lien pour vous connecter à \(site).",
                action: "Se connecter"
            )
        case .emailChange:
            french(
                "Confirmez votre nouvelle adresse",
                "Quelqu'un a demandé à changer l'adresse e-mail de votre compte sur \(site).",
                action: "Confirmer le changement"
            )
        case .emailChangeCurrent:
            french(
                "Confirmez le changement d'adresse",
                "Quelqu'un a demandé à donner une autre adresse e-mail à votre compte sur \(site).",
                action: "Confirmer le changement",
                closing:
                    "Si ce n'était pas vous, ignorez ce message et changez votre mot de passe : quelqu'un le connaît peut-être."
            )
        // Texts are the hook's to write.
        case .reauthentication, .text, .phoneChange, .phoneReauthentication:
            french(
                "Votre code de confirmation",
                "Confirmez que c'est bien vous qui modifiez votre compte sur \(site)."
            )
        }
    }

    static func french(_ notice: Notice, _ site: String) -> MailWords {
        switch notice.kind {
        case .passwordChanged:
            french(
                "Votre mot de passe a été changé",
                "Le mot de passe de votre compte sur \(site) a été changé.",
                closing: frenchAlarm
            )
        case .emailChanged:
            french(
                "Votre adresse a été changée",
                "L'adresse e-mail de votre compte sur \(site) est désormais \(notice.shown).",
                closing: frenchAlarm
            )
        case .phoneChanged:
            french(
                "Votre numéro de téléphone a été changé",
                "Le numéro de téléphone de votre compte sur \(site) est désormais \(notice.shown).",
                closing: frenchAlarm
            )
        case .identityLinked:
            french(
                "Un moyen de connexion a été ajouté",
                "Votre compte sur \(site) peut désormais être ouvert avec \(notice.shown).",
                closing: frenchAlarm
            )
        case .identityUnlinked:
            french(
                "Un moyen de connexion a été retiré",
                "Votre compte sur \(site) ne peut plus être ouvert avec \(notice.shown).",
                closing: frenchAlarm
            )
        case .factorEnrolled:
            french(
                "Un second facteur a été ajouté",
                "Un second facteur (\(notice.shown)) a été ajouté à votre compte sur \(site).",
                closing: frenchAlarm
            )
        case .factorUnenrolled:
            french(
                "Un second facteur a été retiré",
                "Un second facteur (\(notice.shown)) a été retiré de votre compte sur \(site).",
                closing: frenchAlarm
            )
        case .recoveryCodesRegenerated:
            french(
                "Vos codes de récupération ont été remplacés",
                "Votre compte sur \(site) a de nouveaux codes de récupération. Les anciens ne sont plus valables.",
                closing: frenchAlarm
            )
        case .recoveryCodeUsed:
            french(
                "Un code de récupération a été utilisé",
                "Votre compte sur \(site) a été ouvert avec un code de récupération. Codes restants : \(notice.shown).",
                closing: frenchAlarm
            )
        case .passkeyAdded:
            french(
                "Une clé d'accès a été ajoutée",
                "Votre compte sur \(site) peut désormais être ouvert avec une nouvelle clé d'accès.",
                closing: frenchAlarm
            )
        case .passkeyRemoved:
            french(
                "Une clé d'accès a été retirée",
                "Votre compte sur \(site) ne peut plus être ouvert avec l'une de vos clés d'accès.",
                closing: frenchAlarm
            )
        }
    }

    private static let frenchAlarm =
        "Si ce n'était pas vous, réinitialisez votre mot de passe dès maintenant et prévenez-nous."

    private static func french(
        _ subject: String,
        _ opening: String,
        action: String? = nil,
        closing: String = "Si vous n'êtes pas à l'origine de cette demande, ignorez ce message."
    ) -> MailWords {
        MailWords(
            subject: subject,
            opening: opening,
            action: action,
            closing: closing,
            orCode: "Ou saisissez ce code :",
            code: "Saisissez ce code :",
            language: .french
        )
    }
}
