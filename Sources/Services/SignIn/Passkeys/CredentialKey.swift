/// A signature algorithm by its number in COSE (RFC 9053 §2, RFC 8812 §2).
enum SignatureAlgorithm: Int, CaseIterable, Sendable {
    case es256 = -7
    case edDSA = -8
    case rs256 = -257
}

/// The public key of a credential.
struct CredentialKey: Sendable {
    let algorithm: SignatureAlgorithm
    /// As the authenticator has written it, a COSE_Key (RFC 9052 §7).
    let encoded: [UInt8]
    /// The parts of the key in the form that libfido2 reads: x‖y, x, or n‖e.
    let parts: [UInt8]

    /// Throws ``PasskeyFault/unsupportedAlgorithm``, or ``PasskeyFault/malformed`` for a key that is not of its
    /// algorithm.
    init(_ encoded: [UInt8]) throws(PasskeyFault) {
        var reader = CBORReader(encoded)
        let key = try reader.next()
        guard reader.isAtEnd else { throw .malformed }
        guard let number = key[Label.algorithm]?.integer, let algorithm = SignatureAlgorithm(rawValue: number) else {
            throw .unsupportedAlgorithm
        }
        let kind = key[Label.kind]?.integer
        let first = key[Label.first]
        let second = key[Label.second]?.bytes ?? []
        switch algorithm {
        case .es256:
            guard kind == Label.ellipticCurve, first?.integer == Label.p256,
                let y = key[Label.third]?.bytes, second.count == 32, y.count == 32
            else { throw .malformed }
            parts = second + y
        case .edDSA:
            guard kind == Label.octetPair, first?.integer == Label.ed25519, second.count == 32 else {
                throw .malformed
            }
            parts = second
        case .rs256:
            // libfido2 knows moduli of 2048 bits, which are those of TPMs.
            guard kind == Label.rsa, let modulus = first?.bytes, modulus.count == 256, second.count == 3 else {
                throw .malformed
            }
            parts = modulus + second
        }
        self.algorithm = algorithm
        self.encoded = encoded
    }

    /// The labels and values of RFC 9053 §7 and RFC 8230 §4.
    private enum Label {
        static let kind = 1
        static let algorithm = 3
        static let first = -1
        static let second = -2
        static let third = -3
        static let octetPair = 1
        static let ellipticCurve = 2
        static let rsa = 3
        static let p256 = 1
        static let ed25519 = 6
    }
}
