import Auth
import Foundation
import JSON
import SignIn

/// The settings of sign-in, and the key that signs its tokens if that is not `JWT_SECRET`.
struct SignInConfiguration: Sendable {
    let settings: SignInSettings
    /// `JWT_SIGNING_KEY`.
    let privateKey: SigningKey?

    init(_ reader: inout SettingsReader, cores: Int) {
        privateKey = reader.read(
            "JWT_SIGNING_KEY",
            default: nil,
            accepted: "a private JWK (RSA, EC P-256 or Ed25519): a file that can be read, or the JSON itself",
            Self.key
        )
        var settings = SignInSettings()
        settings.accessTokenSeconds = reader.integer("JWT_EXPIRY", default: 3600, in: 30...604_800)
        settings.siteURL = Self.url("SITE_URL", &reader)
        settings.externalURL = Self.url("API_EXTERNAL_URL", &reader)
        settings.redirectAllowList = reader.list("URI_ALLOW_LIST")
        settings.isSignUpDisabled = reader.flag("DISABLE_SIGNUP", default: false)
        settings.allowsAnonymousUsers = reader.flag("ENABLE_ANONYMOUS_USERS", default: false)
        if reader.text("MAILER_AUTOCONFIRM") != nil {
            settings.confirmsAtOnce = reader.flag("MAILER_AUTOCONFIRM", default: true)
        }
        settings.minimumPasswordBytes = reader.integer("PASSWORD_MIN_LENGTH", default: 6, in: 1...72)
        settings.bcryptCost = reader.integer("BCRYPT_COST", default: 10, in: PasswordHash.costs)
        settings.hashesAtOnce = max(1, cores)
        settings.reuseIntervalSeconds = reader.integer("REFRESH_TOKEN_REUSE_INTERVAL", default: 10, in: 0...3600)
        settings.endsStolenSessions = reader.flag("REFRESH_TOKEN_ROTATION", default: true)
        settings.sessionSeconds = Self.seconds("SESSION_TIMEBOX", &reader)
        settings.inactivitySeconds = Self.seconds("SESSION_INACTIVITY_TIMEOUT", &reader)
        settings.allowsOneSession = reader.flag("SESSION_SINGLE_PER_USER", default: false)
        self.settings = settings
    }

    /// The key that signs access tokens; nil if this server issues none.
    func signingKey(_ tokens: TokenSettings) throws -> SigningKey? {
        if let privateKey { return privateKey }
        return try tokens.secret.map { try SigningKey(secret: $0) }
    }

    /// nil for 0, which means no limit.
    private static func seconds(_ name: String, _ reader: inout SettingsReader) -> Int? {
        let seconds = reader.integer(name, default: 0, in: 0...315_360_000)
        return seconds == 0 ? nil : seconds
    }

    private static func url(_ name: String, _ reader: inout SettingsReader) -> String? {
        reader.read(name, default: nil, accepted: "an address such as https://app.example.com") { text in
            let isAddress = text.wholeMatch(of: #/[A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\s"<>]*/#) != nil
            return isAddress ? .some(text) : .none
        }
    }

    private static func key(_ text: String) -> SigningKey? {
        let isInline = text.drop { $0.isWhitespace }.first == "{"
        let bytes = isInline ? Array(text.utf8) : FileManager.default.contents(atPath: text).map { Array($0) }
        guard let bytes, let json = try? JSONParser.parse(bytes) else { return nil }
        return try? SigningKey(jwk: json)
    }
}
