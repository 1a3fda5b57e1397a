import SwiftletBytes
import SwiftletJSON

/// The answer of `navigator.credentials.create`, as its `toJSON` writes it.
struct RegistrationResponse: Sendable {
    let client: ClientData
    let attestation: AttestationObject
    /// How the authenticator is reached: `internal`, `hybrid`, `usb`, …
    let transports: [String]

    private static let maximumTransports = 8

    init(_ credential: JSONObject) throws(PasskeyFault) {
        let response = try PublicKeyCredential.response(in: credential)
        client = try ClientData(PublicKeyCredential.bytes("clientDataJSON", of: response))
        attestation = try AttestationObject(PublicKeyCredential.bytes("attestationObject", of: response))
        let id = try PublicKeyCredential.id(in: credential)
        guard let new = attestation.data.credential, new.id == id else { throw .malformed }
        let names = (response["transports"]?.array ?? []).compactMap(\.string)
        transports = names.prefix(Self.maximumTransports).filter { name in
            name.utf8.count <= 20 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") }
        }
    }
}

/// The answer of `navigator.credentials.get`, as its `toJSON` writes it.
struct AssertionResponse: Sendable {
    let credentialID: [UInt8]
    let client: ClientData
    let data: AuthenticatorData
    let signature: [UInt8]
    /// What the account was called at registration; nil if the authenticator does not say.
    let userHandle: [UInt8]?

    init(_ credential: JSONObject) throws(PasskeyFault) {
        let response = try PublicKeyCredential.response(in: credential)
        credentialID = try PublicKeyCredential.id(in: credential)
        client = try ClientData(PublicKeyCredential.bytes("clientDataJSON", of: response))
        data = try AuthenticatorData(PublicKeyCredential.bytes("authenticatorData", of: response))
        signature = try PublicKeyCredential.bytes("signature", of: response)
        let hasHandle = response["userHandle"].map { !$0.isNull && $0.string != "" } ?? false
        userHandle = hasHandle ? try PublicKeyCredential.bytes("userHandle", of: response) : nil
    }
}

/// The members that both have.
private enum PublicKeyCredential {
    /// Certificates of an attestation are the longest.
    private static let maximumCharacters = 65_536

    static func response(in credential: JSONObject) throws(PasskeyFault) -> JSONObject {
        guard credential["type"]?.string ?? "public-key" == "public-key",
            let response = credential["response"]?.object
        else { throw .malformed }
        return response
    }

    /// `id` and `rawId` are the same.
    static func id(in credential: JSONObject) throws(PasskeyFault) -> [UInt8] {
        let id = try bytes(credential["rawId"]?.string == nil ? "id" : "rawId", of: credential)
        guard (1...AuthenticatorData.maximumIDBytes).contains(id.count) else { throw .malformed }
        return id
    }

    static func bytes(_ name: String, of object: JSONObject) throws(PasskeyFault) -> [UInt8] {
        guard let text = object[name]?.string, text.utf8.count <= maximumCharacters,
            // Some clients pad.
            let bytes = Base64URL.decode(String(text.prefix { $0 != "=" }))
        else { throw .malformed }
        return bytes
    }
}
