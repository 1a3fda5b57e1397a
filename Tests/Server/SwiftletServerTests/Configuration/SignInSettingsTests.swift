import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn
@testable import SwiftletServer

@Suite struct SignInSettingsTests {
    private static let complete = [
        "DATABASE_URL": "postgresql://app:pw@db.example:5432/app", "JWT_SECRET": "0123456789abcdef0123456789abcdef",
    ]

    private func read(_ settings: [String: String]) throws(ConfigurationError) -> Configuration {
        let all = Self.complete.merging(settings) { $1 }
        return try Configuration(
            Environment(all),
            mode: .serve,
            machine: Machine(cores: 8, isTerminal: false)
        )
    }

    @Test func `is on with a secret alone`() throws {
        let configuration = try read([:])
        let settings = configuration.signIn
        #expect(settings.accessTokenSeconds == 3600)
        #expect(settings.reuseIntervalSeconds == 10)
        #expect(settings.endsStolenSessions)
        #expect(!settings.isSignUpDisabled)
        #expect(!settings.allowsAnonymousUsers)
        #expect(settings.confirmsAtOnce == nil)
        #expect(settings.minimumPasswordBytes == 6)
        #expect(settings.bcryptCost == 10)
        #expect(settings.hashesAtOnce == 8)
        #expect(settings.sessionSeconds == nil)
        #expect(settings.inactivitySeconds == nil)
        #expect(!settings.allowsOneSession)
        let key = try #require(try configuration.tokens.signingKey())
        #expect(key.keySet.keys.isEmpty)
    }

    @Test func `is off where tokens only come from elsewhere`() throws {
        let configuration = try read(["JWT_SECRET": "", "JWT_JWKS": "https://id.example/jwks"])
        #expect(try configuration.tokens.signingKey() == nil)
    }

    @Test func `knows which keys SIGHUP does not read again`() throws {
        #expect(try read(["JWT_SECRET": "", "JWT_JWKS": "https://id.example/jwks"]).tokens.keptSettings.isEmpty)
        let key = TestIssuer(.p256).privateKey
        let inline = try read(["JWT_SIGNING_KEY": key, "SUPABASE_ANON_KEY": "anon"]).tokens
        #expect(inline.keptSettings == ["JWT_SECRET", "JWT_SIGNING_KEY", "SUPABASE_ANON_KEY"])
    }

    @Test func `divides the characters that passwords need`() throws {
        let settings = try read(["PASSWORD_REQUIRED_CHARACTERS": #"abc::123:!\:?:\x"#]).signIn
        #expect(settings.requiredPasswordCharacters == ["abc", "123", "!:?", #"\x"#])
    }

    @Test func `takes what it is told`() throws {
        let settings = try read([
            "JWT_EXPIRY": "600", "SITE_URL": "https://app.example", "API_EXTERNAL_URL": "https://api.example/",
            "URI_ALLOW_LIST": "myapp://callback, https://*.example/**", "DISABLE_SIGNUP": "true",
            "ENABLE_ANONYMOUS_USERS": "on", "MAILER_AUTOCONFIRM": "false", "PASSWORD_MIN_LENGTH": "12",
            "BCRYPT_COST": "12", "REFRESH_TOKEN_REUSE_INTERVAL": "0", "REFRESH_TOKEN_ROTATION": "off",
            "SESSION_TIMEBOX": "86400", "SESSION_INACTIVITY_TIMEOUT": "3600", "SESSION_SINGLE_PER_USER": "on",
        ]).signIn
        #expect(settings.accessTokenSeconds == 600)
        #expect(settings.issuer == "https://api.example/auth/v1")
        #expect(settings.redirectAllowList == ["myapp://callback", "https://*.example/**"])
        #expect(settings.isSignUpDisabled)
        #expect(settings.allowsAnonymousUsers)
        #expect(settings.confirmsAtOnce == false)
        #expect(settings.minimumPasswordBytes == 12)
        #expect(settings.bcryptCost == 12)
        #expect(settings.reuseIntervalSeconds == 0)
        #expect(!settings.endsStolenSessions)
        #expect(settings.sessionSeconds == 86400)
        #expect(settings.inactivitySeconds == 3600)
        #expect(settings.allowsOneSession)
    }

    @Test func `reads the codes of numbers that get no texts`() throws {
        #expect(try read([:]).signIn.fixedCodes.count == 0)
        let codes = try read([
            "SMS_TEST_OTP": "+49 15112345678:123456, 4915187654321:654321",
            "SMS_TEST_OTP_VALID_UNTIL": "2027-01-31T00:00:00Z",
        ]).signIn.fixedCodes
        #expect(codes.code(of: "4915112345678", at: 1_801_353_599) == "123456")
        #expect(codes.code(of: "4915187654321", at: 0) == "654321")
        #expect(codes.code(of: "4915112345678", at: 1_801_353_600) == nil)
        #expect(codes.code(of: "4915100000000", at: 0) == nil)
    }

    @Test func `limits second factors as told`() throws {
        let standard = try read([:]).signIn.factors
        #expect(standard.canEnrollTOTP && standard.canVerifyTOTP)
        #expect(standard.maximumEnrolled == 10)
        let factors = try read([
            "MFA_TOTP_ENROLL_ENABLED": "false", "MFA_TOTP_VERIFY_ENABLED": "off", "MFA_MAX_ENROLLED_FACTORS": "3",
            "MFA_MAX_VERIFIED_FACTORS": "2", "MFA_CHALLENGE_EXPIRY_DURATION": "60", "MFA_FACTOR_EXPIRY_DURATION": "90",
        ]).signIn.factors
        #expect(!factors.canEnrollTOTP && !factors.canVerifyTOTP)
        #expect(factors.maximumEnrolled == 3)
        #expect(factors.maximumVerified == 2)
        #expect(factors.challengeSeconds == 60)
        #expect(factors.unverifiedSeconds == 90)
    }

    @Test func `takes a private key inline or from a file, and never prints it`() throws {
        let text = TestIssuer(.p256, keyID: "mine").privateKey
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for value in [text, file.path] {
            let configuration = try read(["JWT_SECRET": "", "JWT_SIGNING_KEY": value])
            let key = try #require(try configuration.tokens.signingKey())
            #expect(key.keySet.keys.map(\.keyID) == ["mine"])
            var dumped = ""
            dump(configuration, to: &dumped)
            #expect(!dumped.contains("jpsQnnGQmL"))
        }
    }

    @Test(arguments: [
        ("JWT_SIGNING_KEY", "/nowhere"), ("JWT_SIGNING_KEY", "{}"), ("JWT_SIGNING_KEY", TestIssuer(.p256).publicKey),
        ("JWT_EXPIRY", "0"), ("SITE_URL", "app.example"), ("SITE_URL", "http://"), ("SITE_URL", "https:///welcome"),
        ("API_EXTERNAL_URL", "https://a b"), ("API_EXTERNAL_URL", "smtp://api.example"),
        ("API_EXTERNAL_URL", "https://"), ("API_EXTERNAL_URL", "https://:8000"), ("API_EXTERNAL_URL", "https://me@/x"),
        ("TRUSTED_PROXIES", "proxy.example"), ("TRUSTED_PROXIES", "10.0.0.0/64"), ("RATE_LIMIT_EMAIL_SENT", "0"),
        ("RATE_LIMIT_SMS_SENT", "0"), ("SMS_OTP_EXP", "5"),
        ("SMS_TEST_OTP", "4915112345678:12345"), ("SMS_TEST_OTP", "0151:123456"), ("SMS_TEST_OTP", "4915112345678"),
        ("SMS_TEST_OTP_VALID_UNTIL", "tomorrow"),
        ("DISABLE_SIGNUP", "maybe"),
        ("PASSWORD_MIN_LENGTH", "73"), ("PASSWORD_REQUIRED_CHARACTERS", "::"), ("BCRYPT_COST", "31"),
        ("REFRESH_TOKEN_REUSE_INTERVAL", "-1"),
        ("SESSION_TIMEBOX", "-1"), ("SESSION_INACTIVITY_TIMEOUT", "1h"), ("SESSION_SINGLE_PER_USER", "2"),
    ])
    func `names the setting at fault`(name: String, value: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try read([name: value]) }
        #expect(error.faults.count == 1)
        #expect(error.faults.first?.hasPrefix(name) == true)
    }

    // MARK: Passkeys

    @Test func `takes the domain and the origin of passkeys from the app's address`() throws {
        let passkeys = try read(["SITE_URL": "https://App.example:8443/welcome", "PASSKEY_ENABLED": "on"]).signIn
            .passkeys
        #expect(passkeys.isEnabled)
        #expect(!passkeys.canEnrollFactors)
        #expect(passkeys.relyingPartyID == "app.example")
        #expect(passkeys.relyingPartyName == "app.example")
        #expect(passkeys.origins == ["https://app.example:8443"])
        #expect(passkeys.verification == .preferred)
        #expect(try !read([:]).signIn.passkeys.isEnabled)
        let local = try read(["SITE_URL": "http://localhost:3000", "PASSKEY_ENABLED": "on"]).signIn.passkeys
        #expect(local.origins == ["http://localhost:3000"])
    }

    @Test func `takes what it is told of passkeys`() throws {
        let passkeys = try read([
            "PASSKEY_ENABLED": "on", "MFA_WEB_AUTHN_ENROLL_ENABLED": "on", "WEBAUTHN_RP_ID": "example.com",
            "WEBAUTHN_RP_DISPLAY_NAME": "Example", "WEBAUTHN_USER_VERIFICATION": "required",
            "WEBAUTHN_RP_ORIGINS": "https://example.com:443, https://app.example.com/,android:apk-key-hash:abc",
            "APPLE_APP_IDS": "ABCDE12345.com.example.app", "PASSKEY_MAX_PASSKEYS_PER_USER": "3",
            "WEBAUTHN_CHALLENGE_EXPIRY_DURATION": "60",
        ]).signIn.passkeys
        #expect(passkeys.canEnrollFactors && passkeys.canVerifyFactors)
        #expect(passkeys.relyingPartyID == "example.com")
        #expect(passkeys.relyingPartyName == "Example")
        #expect(passkeys.origins == ["https://example.com", "https://app.example.com", "android:apk-key-hash:abc"])
        #expect(passkeys.appleApps == ["ABCDE12345.com.example.app"])
        #expect(passkeys.verification == .required)
        #expect(passkeys.maximumPerAccount == 3)
        #expect(passkeys.challengeSeconds == 60)
    }

    @Test(arguments: [
        (["PASSKEY_ENABLED": "on"], "WEBAUTHN_RP_ORIGINS is missing"),
        (["PASSKEY_ENABLED": "on", "SITE_URL": "http://app.example"], "WEBAUTHN_RP_ORIGINS is missing"),
        (
            ["PASSKEY_ENABLED": "on", "SITE_URL": "https://app.example", "WEBAUTHN_RP_ID": "other.example"],
            "WEBAUTHN_RP_ID must be the host"
        ),
        (
            [
                "PASSKEY_ENABLED": "on", "WEBAUTHN_RP_ID": "app.example",
                "WEBAUTHN_RP_ORIGINS": "https://notapp.example",
            ],
            "WEBAUTHN_RP_ID must be the host"
        ),
        (
            ["PASSKEY_ENABLED": "on", "WEBAUTHN_RP_ID": "app.example", "WEBAUTHN_RP_ORIGINS": "http://app.example"],
            "WEBAUTHN_RP_ORIGINS must be addresses"
        ),
        (["WEBAUTHN_RP_ID": "https://app.example"], "WEBAUTHN_RP_ID must be a domain"),
        (["APPLE_APP_IDS": "com.example.app"], "APPLE_APP_IDS must be team and bundle IDs"),
    ])
    func `refuses passkeys that no browser would use`(settings: [String: String], fault: String) {
        let error = #expect(throws: ConfigurationError.self) { try read(settings) }
        #expect(error?.description.contains(fault) == true, "\(String(describing: error))")
    }
}
