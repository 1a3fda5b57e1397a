import SwiftletSignIn

/// Says what passkeys are bound to: with another domain, all that exist are of no use.
struct PasskeyExamination: Sendable {
    private let settings: PasskeySettings
    private let isDomainChosen: Bool

    init(_ configuration: Configuration, _ environment: Environment) {
        settings = configuration.signIn.passkeys
        isDomainChosen = environment["WEBAUTHN_RP_ID"]?.isEmpty == false
    }

    /// None where nobody can have a passkey or an authenticator.
    var findings: [Finding] {
        guard settings.isEnabled || settings.canEnrollFactors || settings.canVerifyFactors else { return [] }
        let domain = settings.relyingPartyID
        var findings: [Finding] = []
        if isDomainChosen {
            findings.append(.good("passkeys", "for \(domain), used by \(settings.origins.joined(separator: ", "))"))
        } else {
            let remedy = "another SITE_URL would make all of them useless: set WEBAUTHN_RP_ID"
            findings.append(.note("passkeys", "for \(domain), the host of SITE_URL: \(remedy)"))
        }
        if !settings.appleApps.isEmpty {
            let page = "/.well-known/apple-app-site-association"
            findings.append(.note("passkeys", "Apple's systems read https://\(domain)\(page): lead it to this server"))
        }
        return findings
    }
}
