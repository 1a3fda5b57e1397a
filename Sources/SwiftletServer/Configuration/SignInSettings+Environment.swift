import Auth
import SignIn

extension SignInSettings {
    init(_ reader: inout SettingsReader, cores: Int) {
        self.init()
        accessTokenSeconds = reader.integer("JWT_EXPIRY", default: accessTokenSeconds, in: 30...604_800)
        siteURL = reader.read("SITE_URL", default: nil, accepted: "an address such as https://app.example.com") {
            text in
            AddressSetting.isLink(text) || Self.isOfApp(text) ? .some(text) : .none
        }
        externalURL = reader.read(
            "API_EXTERNAL_URL",
            default: nil,
            accepted: "this server's address, such as https://api.example.com"
        ) { AddressSetting.isLink($0) ? .some($0) : .none }
        redirectAllowList = reader.list("URI_ALLOW_LIST")
        isSignUpDisabled = reader.flag("DISABLE_SIGNUP", default: isSignUpDisabled)
        allowsAnonymousUsers = reader.flag("ENABLE_ANONYMOUS_USERS", default: allowsAnonymousUsers)
        if reader.text("MAILER_AUTOCONFIRM") != nil {
            confirmsAtOnce = reader.flag("MAILER_AUTOCONFIRM", default: true)
        }
        readPasswordRules(&reader)
        hashesAtOnce = max(1, cores)
        reuseIntervalSeconds = reader.integer(
            "REFRESH_TOKEN_REUSE_INTERVAL",
            default: reuseIntervalSeconds,
            in: 0...3600
        )
        endsStolenSessions = reader.flag("REFRESH_TOKEN_ROTATION", default: endsStolenSessions)
        sessionSeconds = Self.seconds("SESSION_TIMEBOX", &reader)
        inactivitySeconds = Self.seconds("SESSION_INACTIVITY_TIMEOUT", &reader)
        allowsOneSession = reader.flag("SESSION_SINGLE_PER_USER", default: allowsOneSession)
    }

    /// What new passwords have to be, and how they are hashed.
    mutating func readPasswordRules(_ reader: inout SettingsReader) {
        minimumPasswordBytes = reader.integer(
            "PASSWORD_MIN_LENGTH",
            default: minimumPasswordBytes,
            in: 1...PasswordHash.maximumBytes
        )
        bcryptCost = reader.integer("BCRYPT_COST", default: bcryptCost, in: PasswordHash.costs)
    }

    /// nil for 0, which means no limit.
    private static func seconds(_ name: String, _ reader: inout SettingsReader) -> Int? {
        let seconds = reader.integer(name, default: 0, in: 0...315_360_000)
        return seconds == 0 ? nil : seconds
    }

    /// Whether it is an address in an app's own scheme, which needs no host.
    private static func isOfApp(_ text: String) -> Bool {
        text.wholeMatch(of: #/(?!(?i:https?):)[A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\s"<>]*/#) != nil
    }
}
