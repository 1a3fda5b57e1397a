import SwiftletAuth
import SwiftletEssentials
import SwiftletSignIn
import SwiftletWeb

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
        trustedProxies = reader.read(
            "TRUSTED_PROXIES",
            default: nil,
            accepted: "a comma list of addresses and networks such as 10.0.0.0/8, or none"
        ) { text in
            let items = SettingsReader.items(text.lowercased())
            return TrustedProxies(items == ["none"] ? [] : items).map { .some($0) }
        }
        emailsPerHour = reader.integer("RATE_LIMIT_EMAIL_SENT", default: emailsPerHour, in: 1...1_000_000)
        textsPerHour = reader.integer("RATE_LIMIT_SMS_SENT", default: textsPerHour, in: 1...1_000_000)
        textCodeSeconds = reader.integer("SMS_OTP_EXP", default: textCodeSeconds, in: 30...86_400)
        readFixedCodes(&reader)
        confirmsPhonesAtOnce =
            reader.flag("SMS_AUTOCONFIRM", default: false) && reader.flag("EXTERNAL_PHONE_ENABLED", default: true)
        redirectAllowList = reader.list("URI_ALLOW_LIST")
        isSignUpDisabled = reader.flag("DISABLE_SIGNUP", default: isSignUpDisabled)
        allowsAnonymousUsers = reader.flag("ENABLE_ANONYMOUS_USERS", default: allowsAnonymousUsers)
        if reader.text("MAILER_AUTOCONFIRM") != nil {
            confirmsAtOnce = reader.flag("MAILER_AUTOCONFIRM", default: true)
        }
        readPasswordRules(&reader)
        readChanges(&reader)
        readFactors(&reader)
        passkeys = PasskeySettings(&reader, site: siteURL)
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

    private mutating func readFixedCodes(_ reader: inout SettingsReader) {
        let end: Int? = reader.read(
            "SMS_TEST_OTP_VALID_UNTIL",
            default: nil,
            accepted: "a time such as 2027-01-31T00:00:00Z"
        ) { text in
            (try? Date(text, strategy: .iso8601)).map { .some(Int($0.timeIntervalSince1970)) }
        }
        fixedCodes = reader.read(
            "SMS_TEST_OTP",
            default: fixedCodes,
            accepted: "numbers and six-digit codes such as 4915112345678:123456, separated by commas"
        ) { FixedCodes($0, end: end) }
    }

    /// What new passwords have to be, and how they are hashed.
    mutating func readPasswordRules(_ reader: inout SettingsReader) {
        minimumPasswordBytes = reader.integer(
            "PASSWORD_MIN_LENGTH",
            default: minimumPasswordBytes,
            in: 1...PasswordHash.maximumBytes
        )
        requiredPasswordCharacters =
            reader.read(
                "PASSWORD_REQUIRED_CHARACTERS",
                default: nil,
                accepted: #"sets of characters, divided by colons; a colon in a set is \:"#
            ) { text in
                let sets = Self.characterSets(text)
                return sets.isEmpty ? nil : .some(sets)
            } ?? []
        bcryptCost = reader.integer("BCRYPT_COST", default: bcryptCost, in: PasswordHash.costs)
    }

    /// `abc:123:!\:` is `abc`, `123` and `!:`.
    private static func characterSets(_ text: String) -> [String] {
        var sets = [""]
        var isEscaped = false
        for character in text {
            switch character {
            case ":" where isEscaped: sets[sets.count - 1].append(":")
            case ":": sets.append("")
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            default: sets[sets.count - 1] += isEscaped ? "\\\(character)" : "\(character)"
            }
            isEscaped = false
        }
        if isEscaped { sets[sets.count - 1].append("\\") }
        return sets.filter { !$0.isEmpty }
    }

    /// What changes of an account need, and of which its owner is told.
    private mutating func readChanges(_ reader: inout SettingsReader) {
        asksBothAddresses = reader.flag("MAILER_SECURE_EMAIL_CHANGE_ENABLED", default: asksBothAddresses)
        requiresReauthentication = reader.flag("SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", default: false)
        requiresCurrentPassword = reader.flag("SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD", default: false)
        writesAudit = !reader.flag("AUDIT_LOG_DISABLE_POSTGRES", default: false)
        auditDays = reader.limit("AUDIT_LOG_RETENTION", in: 1...36_500)
        allowsManualLinking = reader.flag("SECURITY_MANUAL_LINKING_ENABLED", default: false)
        for (kind, name) in [
            (Notice.Kind.passwordChanged, "MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED"),
            (.emailChanged, "MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED"),
            (.phoneChanged, "MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED"),
            (.identityLinked, "MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED"),
            (.identityUnlinked, "MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED"),
            (.factorEnrolled, "MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED"),
            (.factorUnenrolled, "MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED"),
            (.recoveryCodesRegenerated, "MAILER_NOTIFICATIONS_MFA_RECOVERY_CODES_REGENERATED_ENABLED"),
            (.recoveryCodeUsed, "MAILER_NOTIFICATIONS_MFA_RECOVERY_CODE_USED_ENABLED"),
            (.passkeyAdded, "MAILER_NOTIFICATIONS_PASSKEY_CREATED_ENABLED"),
            (.passkeyRemoved, "MAILER_NOTIFICATIONS_PASSKEY_DELETED_ENABLED"),
        ] where !reader.flag(name, default: true) {
            notices.remove(kind)
        }
    }

    private mutating func readFactors(_ reader: inout SettingsReader) {
        factors.canEnrollTOTP = reader.flag("MFA_TOTP_ENROLL_ENABLED", default: true)
        factors.canVerifyTOTP = reader.flag("MFA_TOTP_VERIFY_ENABLED", default: true)
        factors.canEnrollPhone = reader.flag("MFA_PHONE_ENROLL_ENABLED", default: false)
        factors.canVerifyPhone = reader.flag("MFA_PHONE_VERIFY_ENABLED", default: factors.canEnrollPhone)
        factors.canEnrollRecoveryCodes = reader.flag("MFA_RECOVERY_CODES_ENROLL_ENABLED", default: true)
        factors.canVerifyRecoveryCodes = reader.flag("MFA_RECOVERY_CODES_VERIFY_ENABLED", default: true)
        factors.recoveryCodes = reader.integer("MFA_RECOVERY_CODES_COUNT", default: 10, in: 1...50)
        factors.maximumEnrolled = reader.integer("MFA_MAX_ENROLLED_FACTORS", default: 10, in: 0...100)
        factors.maximumVerified = reader.integer("MFA_MAX_VERIFIED_FACTORS", default: 10, in: 0...100)
        factors.challengeSeconds = reader.integer("MFA_CHALLENGE_EXPIRY_DURATION", default: 300, in: 30...86_400)
        factors.unverifiedSeconds = reader.integer("MFA_FACTOR_EXPIRY_DURATION", default: 300, in: 30...86_400)
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
