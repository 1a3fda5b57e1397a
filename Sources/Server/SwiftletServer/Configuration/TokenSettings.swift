import SwiftletAuth
import Logging
import SwiftletEssentials
import SwiftletJSON
import SwiftletSignIn

/// How tokens are verified and signed.
struct TokenSettings: Sendable {
    let secret: Secret?
    /// `JWT_SIGNING_KEY`.
    private let privateKey: SigningKey?
    /// The file that `JWT_SIGNING_KEY` names; nil for a key in the setting itself.
    let signingKeyFile: String?
    /// `JWT_JWKS`: a file or a URL.
    let keys: PublishedKeys.Place?
    let issuers: [IssuerSettings]
    /// Whether tokens without `exp` are refused (`JWT_REQUIRE_EXP`).
    let requiresExpiry: Bool
    let anonymousKey: Secret?
    let serviceKey: Secret?

    /// Refuses a secret that is too short or missing.
    init(_ reader: inout SettingsReader) {
        let name = reader.text("JWT_SECRET") == nil ? "SUPABASE_JWT_SECRET" : "JWT_SECRET"
        let text = reader.text(name)
        if let text, text.utf8.count < Self.minimumSecretBytes {
            reader.refuse("\(name) is shorter than \(Self.minimumSecretBytes) bytes: make one with: swiftlet keys")
        }
        keys = reader.read("JWT_JWKS", default: nil, accepted: "a file path, or an https URL without a user name") {
            text in
            if AddressSetting.isRequestable(text) { return .url(text) }
            return text.contains("://") ? nil : .file(text)
        }
        privateKey = reader.read(
            "JWT_SIGNING_KEY",
            default: nil,
            accepted: "a private JWK (RSA, EC P-256 or Ed25519): a file that can be read, or the JSON itself",
            Self.key
        )
        signingKeyFile = reader.text("JWT_SIGNING_KEY").flatMap { Self.isInline($0) ? nil : $0 }
        issuers = IssuerSettings.list(&reader)
        requiresExpiry = reader.flag("JWT_REQUIRE_EXP", default: false)
        let others = ["JWT_JWKS", "JWT_ISSUERS", "JWT_SIGNING_KEY"]
        if text == nil, others.allSatisfy({ reader.text($0) == nil }) {
            reader.refuse(
                "JWT_SECRET is missing (and none of \(others.joined(separator: ", ")) is set): "
                    + "make one with: swiftlet keys"
            )
        }
        secret = text.map { Secret($0) }
        anonymousKey = reader.text("SUPABASE_ANON_KEY").map { Secret($0) }
        serviceKey = reader.text("SUPABASE_SERVICE_ROLE_KEY").map { Secret($0) }
        // The anonymous key is public, while the service key grants everything.
        if let key = reader.text("SUPABASE_SERVICE_ROLE_KEY") {
            if key == reader.text("SUPABASE_ANON_KEY") {
                reader.refuse(
                    "SUPABASE_SERVICE_ROLE_KEY is the same as SUPABASE_ANON_KEY: make two with: swiftlet keys"
                )
            } else if key.utf8.count < Self.minimumServiceKeyBytes {
                reader.refuse(
                    "SUPABASE_SERVICE_ROLE_KEY is shorter than \(Self.minimumServiceKeyBytes) bytes: "
                        + "make one with: swiftlet keys"
                )
            }
        }
    }

    /// Where the public keys of each owner are.
    var keyPlaces: [(owner: KeyOwner, place: PublishedKeys.Place)] {
        (keys.map { [(.server, $0)] } ?? []) + issuers.map { (.issuer($0.trusted.issuer), $0.keys) }
    }

    /// The key that signs access tokens; nil if this server issues none.
    func signingKey() throws -> SigningKey? {
        if let privateKey { return privateKey }
        return try secret.map { try SigningKey(secret: $0) }
    }

    /// Settings that hold a key themselves: only a restart reads them again.
    var keptSettings: [String] {
        [
            ("JWT_SECRET", secret != nil), ("JWT_SIGNING_KEY", privateKey != nil && signingKeyFile == nil),
            ("SUPABASE_ANON_KEY", anonymousKey != nil), ("SUPABASE_SERVICE_ROLE_KEY", serviceKey != nil),
        ].filter(\.1).map(\.0)
    }

    /// The key in the file, as it is now; nil without such a file. Blocks.
    func rereadSigningKey() throws(ConfigurationError) -> SigningKey? {
        guard let signingKeyFile else { return nil }
        guard let key = Self.key(signingKeyFile) else {
            throw ConfigurationError(["JWT_SIGNING_KEY: \(signingKeyFile) is not a private JWK that can be read"])
        }
        return key
    }

    /// The keys that are in use beside the signing key while `swiftlet keys rotate` goes on. None, and an error in the
    /// log, if the record of that cannot be used. Blocks.
    func keysInRotation(_ logger: Logger) -> [SigningKey] {
        guard let signingKeyFile else { return [] }
        do {
            return try KeyRotationFiles(key: signingKeyFile).acceptedKeys()
        } catch {
            logger.error("rotation of keys ignored", metadata: ["cause": "\(error)"])
            return []
        }
    }

    private static func isInline(_ text: String) -> Bool { text.drop { $0.isWhitespace }.first == "{" }

    static func key(_ text: String) -> SigningKey? {
        let bytes = isInline(text) ? Array(text.utf8) : FileManager.default.contents(atPath: text).map { Array($0) }
        guard let bytes, let json = try? JSONParser.parse(bytes) else { return nil }
        return try? SigningKey(jwk: json)
    }

    /// RFC 7518 §3.2: a key for HS256 has at least the size of the hash.
    static let minimumSecretBytes = 32
    /// So that it cannot be guessed; 120 bits in Base64.
    private static let minimumServiceKeyBytes = 20
}
