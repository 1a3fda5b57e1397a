import SwiftletBytes
import SwiftletJSON

/// The relevant members of a JOSE header (RFC 7515 §4): the algorithm and the key's name.
///
/// Keys in the token itself (`jwk`, `jku`, `x5c`, `x5u`) are ignored: anybody can sign with a key of their own.
struct TokenHeader {
    let algorithm: Algorithm
    let keyID: String?

    init(_ header: Span<UInt8>) throws(TokenError) {
        guard (try? UTF8Span(validating: header)) != nil else { throw .malformed }
        var members = KnownMembers<Name>()
        do throws(JSONError) {
            var scanner = JSONScanner(header)
            try scanner.beginObject()
            try members.readMembers(&scanner)
            _ = try scanner.next()
        } catch {
            throw .malformed
        }
        // RFC 7515 §4.1.11: no critical extension is supported. RFC 7797 (`b64`) changes what is signed.
        guard !members[.critical].isPresent, !members[.isEncoded].isPresent else { throw .unsupportedAlgorithm }
        guard let name = header.jsonString(at: members[.algorithm]) else { throw .malformed }
        guard let algorithm = Algorithm(rawValue: name) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        keyID = header.jsonString(at: members[.keyID])
        if members[.keyID].isPresent, keyID == nil { throw .malformed }
    }

    private enum Name: Int, KnownName {
        case algorithm, keyID, critical, isEncoded

        init?(_ name: borrowing Span<UInt8>) {
            switch name.count {
            case 3 where name.isText("alg"): self = .algorithm
            case 3 where name.isText("kid"): self = .keyID
            case 3 where name.isText("b64"): self = .isEncoded
            case 4 where name.isText("crit"): self = .critical
            default: return nil
            }
        }
    }
}

/// The supported signature algorithms (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// A closed list on purpose: `none`, and anything else that a header may name, has no case and cannot be verified.
package enum Algorithm: String, Hashable, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case eddsa = "EdDSA"
}
