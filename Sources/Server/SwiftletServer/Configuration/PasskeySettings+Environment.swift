import SwiftletSignIn

/// Reads from the environment who may use passkeys.
extension PasskeySettings {
    /// `site` is the app's address: its host is the domain of the credentials, unless there is a setting.
    init(_ reader: inout SettingsReader, site: String?) {
        self.init()
        isEnabled = reader.flag("PASSKEY_ENABLED", default: false)
        canEnrollFactors = reader.flag("MFA_WEB_AUTHN_ENROLL_ENABLED", default: false)
        canVerifyFactors = reader.flag("MFA_WEB_AUTHN_VERIFY_ENABLED", default: canEnrollFactors)
        maximumPerAccount = reader.integer("PASSKEY_MAX_PASSKEYS_PER_USER", default: 10, in: 1...100)
        challengeSeconds = reader.integer("WEBAUTHN_CHALLENGE_EXPIRY_DURATION", default: 300, in: 30...3600)
        verification = reader.choice(
            "WEBAUTHN_USER_VERIFICATION",
            default: .preferred,
            ["required": .required, "preferred": .preferred, "discouraged": .discouraged]
        )
        let siteOrigin = site.flatMap { Self.origin($0) }
        let siteHost = siteOrigin.flatMap { Self.host(of: $0) }
        relyingPartyID = reader.read(
            "WEBAUTHN_RP_ID",
            default: siteHost ?? "localhost",
            accepted: "a domain such as example.com, without https:// and port"
        ) { text in Self.isDomain(text) ? text.lowercased() : nil }
        relyingPartyName = reader.read(
            "WEBAUTHN_RP_DISPLAY_NAME",
            default: relyingPartyID,
            accepted: "a name of up to 64 characters"
        ) { $0.count <= 64 ? $0 : nil }
        let given = reader.list("WEBAUTHN_RP_ORIGINS")
        origins = given.isEmpty ? siteOrigin.map { [$0] } ?? [] : given.map { Self.origin($0) ?? $0 }
        appleApps = reader.read(
            "APPLE_APP_IDS",
            default: [],
            accepted: "team and bundle IDs such as ABCDE12345.com.example.app, separated by commas"
        ) { text in
            let items = SettingsReader.items(text)
            return items.allSatisfy { $0.wholeMatch(of: #/[A-Z0-9]{10}\.[A-Za-z0-9.\-]+/#) != nil } ? items : nil
        }
        guard isEnabled || canEnrollFactors || canVerifyFactors else { return }
        checkOrigins(&reader)
    }

    private func checkOrigins(_ reader: inout SettingsReader) {
        guard !origins.isEmpty || !appleApps.isEmpty else {
            reader.refuse(
                "WEBAUTHN_RP_ORIGINS is missing: the pages that use passkeys, such as https://app.example.com"
            )
            return
        }
        for origin in origins where !origin.hasPrefix("android:apk-key-hash:") {
            guard let host = Self.host(of: origin) else {
                reader.refuse(
                    "WEBAUTHN_RP_ORIGINS must be addresses such as https://app.example.com, without a path; "
                        + "http:// is for localhost"
                )
                return
            }
            guard host == relyingPartyID || host.hasSuffix("." + relyingPartyID) else {
                reader.refuse("WEBAUTHN_RP_ID must be the host of each of WEBAUTHN_RP_ORIGINS, or a domain above it")
                return
            }
        }
    }

    /// Scheme, host and port of an address, as browsers write an origin; nil for others than https, and http on this
    /// machine.
    private static func origin(_ address: String) -> String? {
        guard
            let match = address.lowercased().wholeMatch(
                of: #/(https?):\/\/([a-z0-9.\-]+)(:[0-9]{1,5})?([\/?#].*)?/#
            )
        else { return nil }
        let (scheme, host, port) = (match.1, String(match.2), match.3.map(String.init) ?? "")
        guard scheme == "https" || host == "localhost" || host.hasSuffix(".localhost") else { return nil }
        let isStandard = scheme == "https" && port == ":443" || scheme == "http" && port == ":80"
        return "\(scheme)://\(host)\(isStandard ? "" : port)"
    }

    private static func host(of origin: String) -> String? {
        self.origin(origin) == origin
            ? origin.split(separator: "/").last?.split(separator: ":").first.map(String.init) : nil
    }

    private static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 253 && text.wholeMatch(of: #/[A-Za-z0-9]([A-Za-z0-9\-.]*[A-Za-z0-9])?/#) != nil
    }
}
