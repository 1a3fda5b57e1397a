import SwiftletBytes
import SwiftletJSON
import SwiftletTesting

@testable import SwiftletAuth
@testable import SwiftletSignIn

/// A security key in software, and the browser before it. Each part of what it says can be wrong.
struct SoftAuthenticator {
    enum Attestation: Sendable { case none, packedSelf }

    let algorithm: SignatureAlgorithm
    private let key: PrivateKey
    private let cose: [UInt8]
    let id: [UInt8]

    var origin = "https://app.example"
    var relyingParty = "app.example"
    var counter = 0
    var flags: AuthenticatorData.Flags = [.userPresent, .userVerified]
    var isCrossOrigin: Bool?
    var attestation = Attestation.none
    /// What it says that its algorithm is.
    var claimedAlgorithm: Int?
    var model = [UInt8](repeating: 0, count: 16)
    var userHandle: [UInt8] = []
    /// CBOR after the credential.
    var extensions: [UInt8] = []
    /// The type of the ceremony, if not the right one.
    var type: String?
    /// Bits that are changed in the signature.
    var damage: UInt8 = 0

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        self.algorithm = algorithm
        id = try RandomBytes.make(count: 32)
        switch algorithm {
        case .es256, .edDSA:
            let issuer = TestIssuer(algorithm == .es256 ? .p256 : .ed25519)
            let jwk = try JSONParser.parse(Array(issuer.privateKey.utf8))
            key = try PrivateKey(jwk: jwk)
            func number(_ name: String) -> [UInt8] { jwk[name]?.string.flatMap { Base64URL.decode($0) } ?? [] }
            cose =
                algorithm == .es256
                ? Self.map([
                    (1, Self.integer(2)), (3, Self.integer(-7)), (-1, Self.integer(1)), (-2, Self.bytes(number("x"))),
                    (-3, Self.bytes(number("y"))),
                ])
                : Self.map([
                    (1, Self.integer(1)), (3, Self.integer(-8)), (-1, Self.integer(6)), (-2, Self.bytes(number("x"))),
                ])
        case .rs256:
            key = try PrivateKey(pem: TestKeys.google, keyID: nil)
            let lines = TestKeys.google.split(separator: "\n").filter { !$0.contains("-----") }.joined()
            let der = Base64URL.decode(
                lines.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            )
            let head: [UInt8] = [0x02, 0x82, 0x01, 0x01, 0x00]
            let start = der?.firstRange(of: head)?.upperBound ?? 0
            cose = Self.map([
                (1, Self.integer(3)), (3, Self.integer(-257)),
                (-1, Self.bytes(Array(der?[start..<(start + 256)] ?? []))), (-2, Self.bytes([1, 0, 1])),
            ])
        }
    }

    // MARK: Ceremonies

    /// Answers the options of a registration.
    func create(_ options: JSONValue) throws -> JSONValue {
        let client = client("webauthn.create", options)
        let hasExtensions: AuthenticatorData.Flags = extensions.isEmpty ? [] : .hasExtensions
        let length = [UInt8(id.count >> 8), UInt8(id.count & 255)]
        let data =
            try head(flags.union(.hasCredential).union(hasExtensions)) + model + length + id + key(claimedAlgorithm)
            + extensions
        let statement: [UInt8]
        switch attestation {
        case .none: statement = [0xA0]
        case .packedSelf:
            let signature = try sign(data + (try MessageDigest.sha256(client)))
            statement =
                [0xA2] + Self.text("alg") + Self.integer(algorithm.rawValue) + Self.text("sig")
                + Self.bytes(signature)
        }
        let format = attestation == .none ? "none" : "packed"
        let object =
            [0xA3] + Self.text("fmt") + Self.text(format) + Self.text("attStmt") + statement + Self.text("authData")
            + Self.bytes(data)
        return credential([
            "clientDataJSON": Self.encoded(client), "attestationObject": Self.encoded(object),
            "transports": ["internal", "hybrid"],
        ])
    }

    /// Answers the options of a sign-in.
    func get(_ options: JSONValue) throws -> JSONValue {
        let client = client("webauthn.get", options)
        let data = try head(flags)
        var signature = try sign(data + (try MessageDigest.sha256(client)))
        signature[signature.count - 1] ^= damage
        return credential([
            "clientDataJSON": Self.encoded(client), "authenticatorData": Self.encoded(data),
            "signature": Self.encoded(signature), "userHandle": Self.encoded(userHandle),
        ])
    }

    private func client(_ type: String, _ options: JSONValue) -> [UInt8] {
        var object: JSONObject = [
            "type": .string(self.type ?? type), "challenge": options["challenge"] ?? .null, "origin": .string(origin),
        ]
        if let isCrossOrigin { object["crossOrigin"] = .bool(isCrossOrigin) }
        return Array(JSONValue.object(object).description.utf8)
    }

    private func head(_ flags: AuthenticatorData.Flags) throws -> [UInt8] {
        try MessageDigest.sha256(Array(relyingParty.utf8)) + [flags.rawValue]
            + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
    }

    private func sign(_ message: [UInt8]) throws -> [UInt8] {
        let raw = try key.sign(message.span)
        return algorithm == .es256 ? ECDSASignature.der(raw: raw.span) ?? [] : raw
    }

    private func credential(_ response: JSONValue) -> JSONValue {
        [
            "id": Self.encoded(id), "rawId": Self.encoded(id), "type": "public-key", "response": response,
            "clientExtensionResults": [:], "authenticatorAttachment": "platform",
        ]
    }

    private func key(_ algorithm: Int?) -> [UInt8] {
        guard let algorithm else { return cose }
        return cose.replacing(
            Self.integer(3) + Self.integer(self.algorithm.rawValue),
            with: Self.integer(3) + Self.integer(algorithm),
            maxReplacements: 1
        )
    }

    // MARK: Encodings

    static func encoded(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes: bytes)) }

    static func integer(_ value: Int) -> [UInt8] { value < 0 ? head(1, -1 - value) : head(0, value) }
    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
    static func map(_ members: [(Int, [UInt8])]) -> [UInt8] {
        members.reduce(into: head(5, members.count)) { $0 += integer($1.0) + $1.1 }
    }

    private static func head(_ type: UInt8, _ argument: Int) -> [UInt8] {
        switch argument {
        case ..<24: [type << 5 | UInt8(argument)]
        case ..<256: [type << 5 | 24, UInt8(argument)]
        default: [type << 5 | 25, UInt8(argument >> 8), UInt8(argument & 255)]
        }
    }
}
