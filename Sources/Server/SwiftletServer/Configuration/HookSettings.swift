import Foundation
import SwiftletAuth
import SwiftletSignIn

/// The operator's hooks, by GoTrue's settings `HOOK_<POINT>_ENABLED`, `_URI` and `_SECRETS`.
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
    ]

    init(_ reader: inout SettingsReader) {
        var points: [Hook.Point: Hook] = [:]
        for (point, names) in Self.names where reader.flag(names.enabled, default: false) {
            points[point] = Self.hook(names, &reader)
        }
        self.points = points
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
        guard text.hasPrefix("v1,whsec_"), let bytes = Data(base64Encoded: String(text.dropFirst(9))),
            (24...64).contains(bytes.count)
        else { return nil }
        // HMAC pads keys with zeros (RFC 2104 §2).
        let padded = Array(bytes) + Array(repeating: 0, count: max(0, HMACKey.minimumSecretBytes - bytes.count))
        return try? HMACKey(Secret(padded.span))
    }
}
