import SwiftletSignIn

/// Says when nobody confirms the addresses by which accounts at providers are linked.
struct ConfirmationExamination: Sendable {
    private let hasProviders: Bool
    private let hasMailer: Bool
    private let isUnasked: Bool

    init(_ configuration: Configuration) {
        let identity = configuration.identity
        hasProviders =
            !identity.appleClientIDs.isEmpty || !identity.googleClientIDs.isEmpty || !configuration.redirects.isEmpty
        hasMailer = configuration.mail != nil
        isUnasked = configuration.signIn.confirmsAtOnce == true
    }

    /// None without providers, and where addresses are confirmed by mail.
    var findings: [Finding] {
        guard hasProviders else { return [] }
        let loss = "an account with a password loses it when the address's owner comes from the provider"
        if !hasMailer {
            let fault = "people sign in at a provider, and no mailer confirms addresses: \(loss). Set SMTP_URL"
            return [.fault("addresses", fault)]
        }
        guard isUnasked else { return [] }
        let note =
            "people sign in at a provider, and MAILER_AUTOCONFIRM asks nobody for a confirmation: \(loss). Unset it"
        return [.note("addresses", note)]
    }
}
