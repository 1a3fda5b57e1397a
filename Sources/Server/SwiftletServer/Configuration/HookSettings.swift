import SwiftletAuth
import SwiftletSignIn

/// The operator's hooks, by GoTrue's settings `HOOK_<POINT>_ENABLED`, `_URI` and `_SECRETS`; the one that sends texts
/// also by `SMS_WEBHOOK_URL` and `SMS_WEBHOOK_SECRET`.
struct HookSettings: Sendable {
    let points: [Hook.Point: Hook]

    /// The settings of a hook.
    private struct Names: Sendable {
        let enabled: String
        let uri: String
        let secrets: String
    }

    private static let names: KeyValuePairs<Hook.Point, Names> = [
        .customAccessToken: Names(
            enabled: "HOOK_CUSTOM_ACCESS_TOKEN_ENABLED",
            uri: "HOOK_CUSTOM_ACCESS_TOKEN_URI",
            secrets: "HOOK_CUSTOM_ACCESS_TOKEN_SECRETS"
        ),
        .beforeUserCreated: Names(
            enabled: "HOOK_BEFORE_USER_CREATED_ENABLED",
            uri: "HOOK_BEFORE_USER_CREATED_URI",
            secrets: "HOOK_BEFORE_USER_CREATED_SECRETS"
        ),
        .passwordVerificationAttempt: Names(
            enabled: "HOOK_PASSWORD_VERIFICATION_ATTEMPT_ENABLED",
            uri: "HOOK_PASSWORD_VERIFICATION_ATTEMPT_URI",
            secrets: "HOOK_PASSWORD_VERIFICATION_ATTEMPT_SECRETS"
        ),
        .factorVerificationAttempt: Names(
            enabled: "HOOK_MFA_VERIFICATION_ATTEMPT_ENABLED",
            uri: "HOOK_MFA_VERIFICATION_ATTEMPT_URI",
            secrets: "HOOK_MFA_VERIFICATION_ATTEMPT_SECRETS"
        ),
        .sendSMS: Names(
            enabled: "HOOK_SEND_SMS_ENABLED",
            uri: "HOOK_SEND_SMS_URI",
            secrets: "HOOK_SEND_SMS_SECRETS"
        ),
        .sendEmail: Names(
            enabled: "HOOK_SEND_EMAIL_ENABLED",
            uri: "HOOK_SEND_EMAIL_URI",
            secrets: "HOOK_SEND_EMAIL_SECRETS"
        ),
    ]

    init(_ reader: inout SettingsReader) {
        var points: [Hook.Point: Hook] = [:]
        for (point, names) in Self.names where reader.flag(names.enabled, default: false) {
            points[point] = Self.hook(names, &reader)
        }
        if let url = reader.text("SMS_WEBHOOK_URL") {
            if points[.sendSMS] != nil { reader.refuse("set either SMS_WEBHOOK_URL or HOOK_SEND_SMS_URI") }
            points[.sendSMS] = Self.webhook(url, &reader)
        }
        if !reader.flag("EXTERNAL_PHONE_ENABLED", default: true) { points[.sendSMS] = nil }
        self.points = points
    }

    /// The same as `HOOK_SEND_SMS_…`, by settings like those for mails.
    private static func webhook(_ url: String, _ reader: inout SettingsReader) -> Hook? {
        guard AddressSetting.isRequestable(url) else {
            reader.refuse("SMS_WEBHOOK_URL must be an https URL without a user name")
            return nil
        }
        let accepted = "at least 16 characters that the receiver checks signatures with, such as whsec_ and Base64"
        guard let secret = reader.text("SMS_WEBHOOK_SECRET"), secret.utf8.count >= 16,
            let key = try? HMACKey(webhook: Secret(secret))
        else {
            let isThere = reader.text("SMS_WEBHOOK_SECRET") != nil
            reader.refuse("SMS_WEBHOOK_SECRET \(isThere ? "must be" : "is missing:") \(accepted)")
            return nil
        }
        return .service(url: url, keys: [key])
    }

    private static func hook(_ names: Names, _ reader: inout SettingsReader) -> Hook? {
        let uri = reader.text(names.uri) ?? ""
        if let hook = Hook(functionURI: uri) { return hook }
        guard AddressSetting.isRequestable(uri) else {
            reader.refuse("\(names.uri) must be pg-functions://postgres/<schema>/<function>, or an https address")
            return nil
        }
        let keys = (reader.text(names.secrets) ?? "").split(separator: "|").map { key(String($0)) }
        guard !keys.isEmpty, keys.allSatisfy({ $0 != nil }) else {
            reader.refuse("\(names.secrets) must be v1,whsec_ and 24 to 64 bytes in Base64; several are joined by |")
            return nil
        }
        return .service(url: uri, keys: keys.compactMap { $0 })
    }

    private static func key(_ text: String) -> HMACKey? {
        guard text.hasPrefix("v1,"), WebhookSecret.isAccepted(String(text.dropFirst(3))) else { return nil }
        return try? HMACKey(webhook: Secret(text))
    }
}
