import SwiftletAuth
import SwiftletEssentials
import SwiftletOutbound
import SwiftletSignIn

/// The providers that users are sent to, by GoTrue's settings `EXTERNAL_<NAME>_…`.
struct RedirectSettings: Sendable {
    private let entries: [Entry]

    private struct Entry: Sendable {
        let name: String
        let client: ProviderClient
        /// `EXTERNAL_<NAME>_URL`.
        let address: String?
    }

    /// `keycloak` is any issuer with discovery; `EXTERNAL_CUSTOM` names more of them.
    private static let known = ["apple", "azure", "github", "google", "keycloak"]

    init(_ reader: inout SettingsReader) {
        let custom = reader.list("EXTERNAL_CUSTOM")
        for name in custom where name.wholeMatch(of: #/[a-z][a-z0-9\-]{0,40}/#) == nil {
            reader.refuse("EXTERNAL_CUSTOM: \(name) must be of lower-case letters, digits and -")
        }
        let names = Self.known + Set(custom).sorted().map { "custom:\($0)" }
        entries = names.compactMap { Self.entry($0, &reader) }
    }

    private static func entry(_ name: String, _ reader: inout SettingsReader) -> Entry? {
        let isCustom = name.hasPrefix("custom:")
        let word = name.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        let prefix = "EXTERNAL_\(word)"
        guard reader.flag(prefix + "_ENABLED", default: isCustom) else { return nil }
        let ids = reader.list(prefix + "_CLIENT_ID")
        if ids.isEmpty { reader.refuse("\(prefix)_CLIENT_ID is missing: what the provider calls this server") }
        let secret = secret(name, prefix, &reader)
        let address = address(prefix + "_URL", &reader)
        if address == nil, isCustom || name == "keycloak" {
            reader.refuse("\(prefix)_URL is missing: the issuer, without /.well-known/openid-configuration")
        }
        var client = ProviderClient(ids: ids, secret: secret)
        client.redirectURI = reader.read(
            prefix + "_REDIRECT_URI",
            default: nil,
            accepted: "this server's address with /auth/v1/callback"
        ) { AddressSetting.isLink($0) ? .some($0) : .none }
        client.isEmailOptional = reader.flag(prefix + "_EMAIL_OPTIONAL", default: false)
        client.skipsNonceCheck = reader.flag(prefix + "_SKIP_NONCE_CHECK", default: false)
        if name != "github" {
            client.revokesAtDeletion = reader.flag(prefix + "_REVOKE_AT_DELETION", default: name == "apple")
        }
        return Entry(name: name, client: client, address: address)
    }

    private static func secret(_ name: String, _ prefix: String, _ reader: inout SettingsReader) -> ClientSecret {
        let text = reader.text(prefix + "_SECRET")
        if name == "apple", let path = reader.text("EXTERNAL_APPLE_KEY_FILE") {
            if text != nil { reader.refuse("EXTERNAL_APPLE_SECRET and EXTERNAL_APPLE_KEY_FILE exclude each other") }
            return appleSecret(path, &reader)
        }
        if text == nil {
            let other = name == "apple" ? ", or EXTERNAL_APPLE_KEY_FILE" : ""
            reader.refuse("\(prefix)_SECRET is missing: the client's secret at the provider\(other)")
        }
        return .text(Secret(text ?? ""))
    }

    /// Signs with the `.p8` key that Apple has given the team.
    private static func appleSecret(_ path: String, _ reader: inout SettingsReader) -> ClientSecret {
        var names: [String: String] = [:]
        for (name, what) in [
            ("EXTERNAL_APPLE_KEY_ID", "Apple's id of the key"), ("EXTERNAL_APPLE_TEAM_ID", "the team's id"),
        ] {
            names[name] = reader.text(name)
            if names[name]?.wholeMatch(of: #/[A-Z0-9]{10}/#) == nil {
                reader.refuse("\(name) is missing or wrong: \(what), ten capital letters and digits")
            }
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            reader.refuse("EXTERNAL_APPLE_KEY_FILE cannot be read")
            return .text(Secret(""))
        }
        do throws(KeyError) {
            let key = try PrivateKey(pem: String(decoding: data, as: UTF8.self), keyID: names["EXTERNAL_APPLE_KEY_ID"])
            guard key.publicKey.algorithm == .es256 else { throw .unsupported }
            return .apple(AppleClientSecret(key: key, team: names["EXTERNAL_APPLE_TEAM_ID"] ?? ""))
        } catch {
            reader.refuse("EXTERNAL_APPLE_KEY_FILE is no .p8 key of Apple's (P-256, PEM): \(error)")
            return .text(Secret(""))
        }
    }

    private static func address(_ name: String, _ reader: inout SettingsReader) -> String? {
        reader.read(name, default: nil, accepted: "an address such as https://id.example.com") { text in
            AddressSetting.isRequestable(text) ? .some(text) : .none
        }
    }

    func providers(_ http: HTTPEngine) -> [RedirectProvider] {
        entries.map { entry in
            switch entry.name {
            case "apple": .apple(entry.client, http)
            case "google": .google(entry.client, http)
            case "github": .gitHub(address: entry.address, entry.client, http)
            case "azure":
                .azure(address: entry.address ?? "https://login.microsoftonline.com/common", entry.client, http)
            default: .openID(entry.name, issuer: entry.address ?? "", entry.client, http)
            }
        }
    }

    var isEmpty: Bool { entries.isEmpty }
}
