import SwiftletBytes
import SwiftletJSON

/// What clients hand to `navigator.credentials`, or to the system's API of the same form (WebAuthn §5.4, §5.5).
struct PasskeyOptions: Sendable {
    let settings: PasskeySettings

    /// Options for a new credential of the account. `isDiscoverable` makes a passkey, which signs in without an
    /// address.
    func creation(
        _ challenge: String,
        for account: Account,
        excluding known: [JSONValue],
        isDiscoverable: Bool
    ) -> JSONObject {
        let name =
            account.email.isEmpty ? (account.phone.isEmpty ? account.id : account.phone) : account.email
        let shown = account.storedUserMetadata
        let displayName = ["full_name", "name"].lazy.compactMap { shown[$0]?.string }.first { !$0.isEmpty }
        return [
            "rp": ["id": .string(settings.relyingPartyID), "name": .string(settings.relyingPartyName)],
            "user": [
                "id": .string(Self.handle(of: account.id)), "name": .string(name),
                "displayName": .string(String((displayName ?? name).prefix(64))),
            ],
            "challenge": .string(challenge),
            "pubKeyCredParams": .array(
                SignatureAlgorithm.allCases.map { ["type": "public-key", "alg": JSONValue($0.rawValue)] }
            ),
            "timeout": JSONValue(settings.challengeSeconds * 1000),
            "excludeCredentials": .array(known),
            "authenticatorSelection": [
                "requireResidentKey": .bool(isDiscoverable),
                "residentKey": isDiscoverable ? "required" : "preferred",
                "userVerification": .string(settings.verification.rawValue),
            ],
            "attestation": "none",
        ]
    }

    /// Options for the use of a credential; of any passkey if none is `allowed`.
    func request(_ challenge: String, allowed: [JSONValue] = []) -> JSONObject {
        var options: JSONObject = [
            "challenge": .string(challenge), "timeout": JSONValue(settings.challengeSeconds * 1000),
            "rpId": .string(settings.relyingPartyID), "userVerification": .string(settings.verification.rawValue),
        ]
        if !allowed.isEmpty { options["allowCredentials"] = .array(allowed) }
        return options
    }

    /// GoTrue's `user.id`: the 36 characters of the account's id, in Base64URL.
    static func handle(of userID: String) -> String { Base64URL.encode(Array(userID.utf8).span) }
}
