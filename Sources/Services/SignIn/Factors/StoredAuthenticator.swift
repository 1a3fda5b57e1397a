import SwiftletBytes
import SwiftletJSON

/// The authenticator of a second factor, as `auth.mfa_factors` keeps it: in GoTrue's JSON.
struct StoredAuthenticator: Sendable {
    let credential: RelyingParty.KnownCredential
    let transports: [String]

    /// nil for JSON that is none, or whose key cannot be read.
    init?(_ text: String?) {
        guard let text, let value = try? JSONParser.parse(Array(text.utf8)),
            let id = Self.bytes(value["id"]), let encoded = Self.bytes(value["publicKey"]),
            let key = try? CredentialKey(encoded)
        else { return nil }
        credential = RelyingParty.KnownCredential(
            id: id,
            key: key,
            counter: value["authenticator"]?["signCount"]?.int ?? 0,
            isBackupEligible: value["flags"]?["backupEligible"]?.bool ?? false
        )
        transports = value["transport"]?.array?.compactMap(\.string) ?? []
    }

    static func json(_ new: RelyingParty.NewCredential) -> JSONValue {
        [
            "id": text(new.id), "publicKey": text(new.key.encoded), "attestationType": .string(new.format.rawValue),
            "transport": .array(new.transports.map(JSONValue.string)),
            "flags": [
                "userPresent": true, "userVerified": .bool(new.isUserVerified),
                "backupEligible": .bool(new.isBackupEligible), "backupState": .bool(new.isBackedUp),
            ],
            "authenticator": [
                "AAGUID": text(new.model), "signCount": JSONValue(new.counter), "cloneWarning": false,
                "attachment": "",
            ],
        ]
    }

    // Go writes bytes in the alphabet of RFC 4648 §4, with padding.

    private static func text(_ bytes: [UInt8]) -> JSONValue {
        let text = Base64URL.encode(bytes.span).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return .string(String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        guard let text = value?.string else { return nil }
        let letters = text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return Base64URL.decode(String(letters))
    }
}
