import SwiftletBytes
import SwiftletCOpenSSL
import SwiftletJSON

/// One JSON Web Key (RFC 7517 §4), from which the public or the private key is made.
struct JWK {
    private static let rsaBits: ClosedRange<CInt> = 2048...8192
    private static let maximumExponentBytes = 8
    private static let coordinateBytes = 32

    let keyID: String?
    let algorithm: Algorithm
    let isPrivate: Bool
    private let object: JSONObject

    /// Refuses keys of other types, and those whose `use` or `key_ops` exclude signatures.
    init(_ value: JSONValue) throws(KeyError) {
        guard let object = value.object, let type = object["kty"]?.string else { throw .malformed }
        self.object = object
        algorithm =
            switch (type, object["crv"]?.string) {
            case ("RSA", _): .rs256
            case ("EC", "P-256"): .es256
            case ("OKP", "Ed25519"): .eddsa
            default: throw .unsupported
            }
        keyID = try Self.text("kid", in: object)
        isPrivate = object["d"] != nil
        if let name = try Self.text("alg", in: object), name != algorithm.rawValue { throw .unsupported }
        if let use = try Self.text("use", in: object), use != "sig" { throw .notForSignatures }
        if let operations = object["key_ops"] {
            // The public half of a private key that may sign may verify.
            let isAllowed = operations.array?.contains { $0 == "verify" || (isPrivate && $0 == "sign") }
            guard isAllowed == true else { throw .notForSignatures }
        }
    }

    /// The public half, as others read it (RFC 7517 §5).
    var published: JSONValue {
        var members: JSONObject = [:]
        for name in ["kty", "kid", "crv", "x", "y", "n", "e"] { members[name] = object[name] }
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "sig"
        members["key_ops"] = ["verify"]
        return .object(members)
    }

    /// The public half, as an `EVP_PKEY`.
    func makePublicKey() throws(KeyError) -> ImmutableHandle {
        switch algorithm {
        case .hs256: throw .unsupported
        case .rs256: try checked(rsa: makeRSA(isPrivate: false))
        case .es256: try checked(point: makeP256(isPrivate: false))
        case .eddsa: try makeEd25519Public()
        }
    }

    /// The private half, as an `EVP_PKEY`; not checked to match the public one.
    func makePrivateKey() throws(KeyError) -> ImmutableHandle {
        guard isPrivate else { throw .notPrivate }
        return switch algorithm {
        case .hs256: throw .unsupported
        case .rs256: try checked(rsa: makeRSA(isPrivate: true))
        case .es256: try checked(point: makeP256(isPrivate: true))
        case .eddsa: try makeEd25519Private()
        }
    }

    /// RFC 7518 §6.3.
    private func makeRSA(isPrivate: Bool) throws(KeyError) -> ImmutableHandle {
        let modulus = try bytes("n")
        let exponent = try bytes("e")
        // An exponent of one would make every message its own signature.
        guard modulus.count <= Int(Self.rsaBits.upperBound) / 8, modulus.last.map({ $0 & 1 }) == 1,
            exponent.count <= Self.maximumExponentBytes, exponent.last.map({ $0 & 1 }) == 1,
            exponent.drop(while: { $0 == 0 }) != [1]
        else { throw .invalid }
        var parameters = KeyParameters()
        parameters.append(number: modulus, "n")
        parameters.append(number: exponent, "e")
        if isPrivate {
            parameters.append(number: try bytes("d"), "d")
            // Optional (RFC 7518 §6.3.2), all or none; they make signing four times as fast.
            if object["p"] != nil {
                parameters.append(number: try bytes("p"), "rsa-factor1")
                parameters.append(number: try bytes("q"), "rsa-factor2")
                parameters.append(number: try bytes("dp"), "rsa-exponent1")
                parameters.append(number: try bytes("dq"), "rsa-exponent2")
                parameters.append(number: try bytes("qi"), "rsa-coefficient1")
            }
        }
        return try parameters.makeKey(type: "RSA", isPrivate: isPrivate)
    }

    /// RFC 7518 §6.2: coordinates have their full length.
    private func makeP256(isPrivate: Bool) throws(KeyError) -> ImmutableHandle {
        let x = try bytes("x")
        let y = try bytes("y")
        guard x.count == Self.coordinateBytes, y.count == Self.coordinateBytes else { throw .invalid }
        var parameters = KeyParameters()
        parameters.append(text: "P-256", "group")
        // An uncompressed point (SEC 1 §2.3.3).
        parameters.append(octets: [0x04] + x + y, "pub")
        if isPrivate {
            let scalar = try bytes("d")
            guard scalar.count == Self.coordinateBytes else { throw .invalid }
            parameters.append(number: scalar, "priv")
        }
        return try parameters.makeKey(type: "EC", isPrivate: isPrivate)
    }

    /// RFC 8037 §2.
    private func makeEd25519Public() throws(KeyError) -> ImmutableHandle {
        let bytes = try bytes("x")
        guard bytes.count == Self.coordinateBytes else { throw .invalid }
        return try unsafe Self.adopt(EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count))
    }

    private func makeEd25519Private() throws(KeyError) -> ImmutableHandle {
        let bytes = try bytes("d")
        guard bytes.count == Self.coordinateBytes else { throw .invalid }
        return try unsafe Self.adopt(EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, bytes, bytes.count))
    }

    private func checked(rsa key: ImmutableHandle) throws(KeyError) -> ImmutableHandle {
        guard Self.rsaBits.contains(unsafe key.withPointer { unsafe EVP_PKEY_get_bits($0) }) else { throw .invalid }
        return key
    }

    private func checked(point key: ImmutableHandle) throws(KeyError) -> ImmutableHandle {
        defer { ERR_clear_error() }
        let isValid = unsafe key.withPointer { key in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            return unsafe EVP_PKEY_public_check(context) == 1
        }
        guard isValid else { throw .invalid }
        return key
    }

    private static func adopt(_ key: OpaquePointer?) throws(KeyError) -> ImmutableHandle {
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .invalid
        }
        return unsafe ImmutableHandle(adopting: key) { unsafe EVP_PKEY_free($0) }
    }

    private func bytes(_ name: String) throws(KeyError) -> [UInt8] {
        guard let text = object[name]?.string, let bytes = Base64URL.decode(text) else { throw .malformed }
        return bytes
    }

    private static func text(_ name: String, in object: JSONObject) throws(KeyError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw .malformed }
        return text
    }
}
