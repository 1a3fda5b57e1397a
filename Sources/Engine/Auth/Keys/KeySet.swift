package import SwiftletJSON

/// The public keys of a JWK set (RFC 7517 §5).
package struct KeySet: Sendable {
    package static let maximumBytes = 1 << 18
    package static let maximumKeys = 256

    package let keys: [PublicKey]
    /// The keys that were left out, and why: RFC 7517 §5 asks to skip keys that are not understood.
    package let ignored: [(keyID: String?, reason: KeyError)]

    /// A set without keys: only HS256 tokens verify.
    package init() {
        keys = []
        ignored = []
    }

    /// The public half of one key.
    package init(_ key: PublicKey) {
        keys = [key]
        ignored = []
    }

    private init(keys: [PublicKey], ignored: [(keyID: String?, reason: KeyError)]) {
        self.keys = keys
        self.ignored = ignored
    }

    /// The keys of this set, followed by those of another. Equal keys are one.
    package func adding(_ other: KeySet) -> KeySet {
        KeySet(keys: keys + other.keys.filter { !keys.contains($0) }, ignored: ignored + other.ignored)
    }

    /// The set for others to read, without what was ignored.
    package var published: JSONValue { ["keys": .array(keys.compactMap(\.published))] }

    /// Returns whether the keys have changed.
    mutating func replace(with other: KeySet) -> Bool {
        defer { self = other }
        return keys != other.keys
    }

    /// Reads a JWK set, or a single key.
    package init(jwks: [UInt8]) throws(KeyError) {
        guard jwks.count <= Self.maximumBytes else { throw .tooLarge }
        guard let document = try? JSONParser.parse(jwks) else { throw .malformed }
        let entries: [JSONValue]
        if let list = document["keys"] {
            guard let array = list.array else { throw .malformed }
            entries = array
        } else {
            guard document["kty"] != nil else { throw .malformed }
            entries = [document]
        }
        guard entries.count <= Self.maximumKeys else { throw .tooLarge }
        var keys: [PublicKey] = []
        var ignored: [(keyID: String?, reason: KeyError)] = []
        for entry in entries {
            do throws(KeyError) {
                let key = try PublicKey(jwk: entry)
                if !keys.contains(key) { keys.append(key) }
            } catch {
                ignored.append((entry["kid"]?.string, error))
            }
        }
        self.keys = keys
        self.ignored = ignored
    }

    /// The keys that a header may refer to, which are tried in turn: several only where different keys have one name, as
    /// during a careless rotation. The first few count, as each costs a verification.
    ///
    /// A key of another algorithm is never used, whatever its name. Where the name is missing in the header or in the
    /// key, the key must be the only one of the algorithm.
    func candidates(for algorithm: Algorithm, keyID: String?) -> [PublicKey] {
        let fitting = keys.filter { $0.algorithm == algorithm }
        if let keyID {
            let named = fitting.filter { $0.keyID == keyID }
            if !named.isEmpty { return Array(named.prefix(Self.maximumCandidates)) }
        }
        guard fitting.count == 1, let only = fitting.first else { return [] }
        return keyID == nil || only.keyID == nil ? [only] : []
    }

    private static let maximumCandidates = 4
}

/// Whose public keys a token needs.
package enum KeyOwner: Hashable, Sendable {
    /// The server's own (`JWT_JWKS`).
    case server
    /// A trusted issuer's, by its `iss`.
    case issuer(String)
}
