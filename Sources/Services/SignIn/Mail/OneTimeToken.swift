import SwiftletBytes
import SwiftletAuth

/// The content of a mail: a token for a link, and a six-digit code to type instead.
struct OneTimeToken: Sendable {
    /// Six digits.
    let code: String
    /// 32 bytes in Base64URL, perhaps after ``prefix``: the `token_hash` of links. Only its hash is stored.
    let link: String
    /// The stored hash of ``link``, after the same prefix.
    let hash: String

    /// Begins a link that is bound to a ``CodeChallenge``, and what is stored of it, as in GoTrue.
    private static let prefix = "pkce_"

    /// A random number to derive a token from. It may be stored: without the key, it reveals neither link nor code.
    static func makeNonce() throws(KeyError) -> String {
        let bytes = try RandomBytes.make(count: 32)
        return Base64URL.encode(bytes.span)
    }

    /// The token of this number, the same one each time.
    static func derive(
        _ key: HMACKey,
        _ purpose: MailPurpose,
        address: String,
        nonce: String,
        isBound: Bool = false
    ) throws(KeyError) -> OneTimeToken {
        let bytes = try key.authenticate(Array("one-time link\n\(purpose.tokenColumn)\n\(nonce)".utf8))
        let link = (isBound ? prefix : "") + Base64URL.encode(bytes.span)
        let hash = try hash(ofLink: link)
        return OneTimeToken(code: try code(key, purpose, hash: hash, address: address), link: link, hash: hash)
    }

    static func hash(ofLink link: String) throws(KeyError) -> String {
        (isBound(link: link) ? prefix : "") + Hexadecimal.encode(try MessageDigest.sha256(Array(link.utf8)))
    }

    static func isBound(link: String) -> Bool { link.utf8.starts(with: prefix.utf8) }

    /// The code is derived from the stored hash and a key that is not in the database, so that read access to the table
    /// reveals neither the link nor the code. A hash of the code itself could be brute-forced within a second.
    static func code(
        _ key: HMACKey,
        _ purpose: MailPurpose,
        hash: String,
        address: String
    ) throws(KeyError) -> String {
        let text = "one-time code\n\(purpose.tokenColumn)\n\(hash)\n\(address.lowercased())"
        let bytes = try key.authenticate(Array(text.utf8))
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
