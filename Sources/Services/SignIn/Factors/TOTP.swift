import SwiftletAuth
import SwiftletBytes
import SwiftletHTTP

/// Time-based one-time passwords (RFC 6238) as authenticator apps make them: SHA-1, six digits, a step of 30 seconds.
struct TOTP: Sendable {
    static let digits = 6
    static let stepSeconds = 30
    /// RFC 4226 §4 recommends 160 bits.
    private static let secretBytes = 20
    /// RFC 6238 §5.2: the steps before and after, for delays and wrong clocks.
    private static let neighbors = 1

    let secret: [UInt8]

    /// A new random secret.
    init() throws(KeyError) { secret = try RandomBytes.make(count: Self.secretBytes) }

    /// The secret in Base32; nil for other text.
    init?(base32 text: String) {
        guard let secret = Base32.decode(text), !secret.isEmpty else { return nil }
        self.secret = secret
    }

    /// The code of a step.
    func code(step: Int) throws(KeyError) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let hash = try MessageDigest.hmacSHA1(message, key: secret)
        // RFC 4226 §5.3: dynamic truncation.
        let offset = Int((hash.last ?? 0) & 15)
        let word = hash[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        let text = String(word % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// The newest step around the moment with this code; nil if there is none. Takes the same time for every code of
    /// the same length.
    func step(of code: String, atSeconds seconds: Int) throws(KeyError) -> Int? {
        let now = seconds / Self.stepSeconds
        var found: Int?
        for step in (now - Self.neighbors)...(now + Self.neighbors) where step >= 0 {
            if MessageDigest.isEqual(try self.code(step: step), code) { found = step }
        }
        return found
    }

    /// What authenticator apps read from a QR code.
    func address(issuer: String, account: String) -> String {
        let (issuer, account) = (PercentCoding.encode(issuer), PercentCoding.encode(account))
        return "otpauth://totp/\(issuer):\(account)?algorithm=SHA1&digits=\(Self.digits)&issuer=\(issuer)"
            + "&period=\(Self.stepSeconds)&secret=\(Base32.encode(secret))"
    }
}
