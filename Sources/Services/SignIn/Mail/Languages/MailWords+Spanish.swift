extension MailWords {
    static func spanish(_ purpose: MailPurpose, _ site: String) -> MailWords {
        switch purpose {
        case .confirmation:
            spanish(
                "Confirme su registro",
                "¡Bienvenido! Confirme su dirección para activar su cuenta en \(site).",
                action: "Confirmar la dirección"
            )
        case .invitation:
            spanish(
                "Ha recibido una invitación",
                "Le han invitado a crear una cuenta en \(site).",
                action: "Aceptar la invitación"
            )
        case .recovery:
            spanish(
                "Restablezca su contraseña",
                "Alguien ha solicitado restablecer su contraseña en \(site).",
                action: "Restablecer la contraseña"
            )
        case .magicLink:
            spanish(
                "Su enlace de acceso",
                "Siga el enlace para iniciar sesión en \(site).",
                action: "Iniciar sesión"
            )
        case .emailChange:
            spanish(
                "Confirme su nueva dirección",
                "Alguien ha solicitado cambiar la dirección de correo de su cuenta en \(site).",
                action: "Confirmar el cambio"
            )
        case .emailChangeCurrent:
            spanish(
                "Confirme el cambio de su dirección",
                "Alguien ha solicitado dar otra dirección de correo a su cuenta en \(site).",
                action: "Confirmar el cambio",
                closing:
                    "Si no ha sido usted, ignore este mensaje y cambie su contraseña: alguien puede conocerla."
            )
        // Texts are the hook's to write.
        case .reauthentication, .text, .phoneChange, .phoneReauthentication:
            spanish(
                "Su código de confirmación",
                "Confirme que es usted quien cambia su cuenta en \(site)."
            )
        }
    }

    static func spanish(_ notice: Notice, _ site: String) -> MailWords {
        switch notice.kind {
        case .passwordChanged:
            spanish(
                "Su contraseña ha cambiado",
                "La contraseña de su cuenta en \(site) ha cambiado.",
                closing: spanishAlarm
            )
        case .emailChanged:
            spanish(
                "Su dirección ha cambiado",
                "La dirección de correo de su cuenta en \(site) es ahora \(notice.shown).",
                closing: spanishAlarm
            )
        case .phoneChanged:
            spanish(
                "Su número de teléfono ha cambiado",
                "El número de teléfono de su cuenta en \(site) es ahora \(notice.shown).",
                closing: spanishAlarm
            )
        case .identityLinked:
            spanish(
                "Se ha añadido un método de acceso",
                "Su cuenta en \(site) ya puede abrirse con \(notice.shown).",
                closing: spanishAlarm
            )
        case .identityUnlinked:
            spanish(
                "Se ha eliminado un método de acceso",
                "Su cuenta en \(site) ya no puede abrirse con \(notice.shown).",
                closing: spanishAlarm
            )
        case .factorEnrolled:
            spanish(
                "Se ha añadido un segundo factor",
                "Se ha añadido un segundo factor (\(notice.shown)) a su cuenta en \(site).",
                closing: spanishAlarm
            )
        case .factorUnenrolled:
            spanish(
                "Se ha eliminado un segundo factor",
                "Se ha eliminado un segundo factor (\(notice.shown)) de su cuenta en \(site).",
                closing: spanishAlarm
            )
        case .recoveryCodesRegenerated:
            spanish(
                "Se han sustituido sus códigos de recuperación",
                "Su cuenta en \(site) tiene nuevos códigos de recuperación. Los anteriores ya no sirven.",
                closing: spanishAlarm
            )
        case .recoveryCodeUsed:
            spanish(
                "Se ha usado un código de recuperación",
                "Se ha abierto su cuenta en \(site) con un código de recuperación. Quedan: \(notice.shown).",
                closing: spanishAlarm
            )
        case .passkeyAdded:
            spanish(
                "Se ha añadido una llave de acceso",
                "Su cuenta en \(site) ya puede abrirse con una nueva llave de acceso.",
                closing: spanishAlarm
            )
        case .passkeyRemoved:
            spanish(
                "Se ha eliminado una llave de acceso",
                "Su cuenta en \(site) ya no puede abrirse con una de sus llaves de acceso.",
                closing: spanishAlarm
            )
        }
    }

    private static let spanishAlarm =
        "Si no ha sido usted, restablezca ahora su contraseña y avísenos."

    private static func spanish(
        _ subject: String,
        _ opening: String,
        action: String? = nil,
        closing: String = "Si no lo ha solicitado, ignore este mensaje."
    ) -> MailWords {
        MailWords(
            subject: subject,
            opening: opening,
            action: action,
            closing: closing,
            orCode: "O introduzca este código:",
            code: "Introduzca este código:",
            language: .spanish
        )
    }
}
