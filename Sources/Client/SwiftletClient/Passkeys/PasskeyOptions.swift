public import Foundation

/// What a device makes a passkey from (Web Authentication Level 3 §5.4), as far as apps need it.
public struct PasskeyRegistrationOptions: Decodable, Sendable {
    /// The server's name of the challenge, which goes back with the answer.
    public let challengeID: String
    public let challenge: Data
    /// The domain that the passkey is bound to.
    public let relyingPartyID: String
    /// What the passkey calls the account: the server's id of it.
    public let userID: Data
    /// What people see: an address or a number.
    public let userName: String
    /// The credentials that the account has already.
    public let excludedCredentials: [Data]

    private enum Keys: String, CodingKey { case challengeId, options }
    private enum Options: String, CodingKey { case challenge, rp, user, excludeCredentials }
    private enum Entity: String, CodingKey { case id, name }

    public init(from decoder: any Decoder) throws {
        let answer = try decoder.container(keyedBy: Keys.self)
        challengeID = try answer.decode(String.self, forKey: .challengeId)
        let options = try answer.nestedContainer(keyedBy: Options.self, forKey: .options)
        challenge = try options.base64URL(.challenge)
        relyingPartyID = try options.nestedContainer(keyedBy: Entity.self, forKey: .rp).decode(String.self, forKey: .id)
        let user = try options.nestedContainer(keyedBy: Entity.self, forKey: .user)
        userID = try user.base64URL(.id)
        userName = try user.decode(String.self, forKey: .name)
        excludedCredentials = try CredentialDescriptor.list(options, .excludeCredentials)
    }
}

/// What a device signs to sign in (Web Authentication Level 3 §5.5), as far as apps need it.
public struct PasskeySignInOptions: Decodable, Sendable {
    /// The server's name of the challenge, which goes back with the answer.
    public let challengeID: String
    public let challenge: Data
    /// The domain that the passkey is bound to.
    public let relyingPartyID: String

    private enum Keys: String, CodingKey { case challengeId, options }
    private enum Options: String, CodingKey { case challenge, rpId }

    public init(from decoder: any Decoder) throws {
        let answer = try decoder.container(keyedBy: Keys.self)
        challengeID = try answer.decode(String.self, forKey: .challengeId)
        let options = try answer.nestedContainer(keyedBy: Options.self, forKey: .options)
        challenge = try options.base64URL(.challenge)
        relyingPartyID = try options.decode(String.self, forKey: .rpId)
    }
}

private struct CredentialDescriptor: Decodable {
    let id: Data

    private enum Keys: String, CodingKey { case id }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: Keys.self).base64URL(.id)
    }

    static func list<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> [Data] {
        try container.decodeIfPresent([CredentialDescriptor].self, forKey: key)?.map(\.id) ?? []
    }
}

extension KeyedDecodingContainer {
    fileprivate func base64URL(_ key: Key) throws -> Data {
        guard let data = Data(base64URL: try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "it is not Base64URL")
        }
        return data
    }
}

extension Data {
    /// Without padding (RFC 4648 §5), as WebAuthn writes bytes.
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
