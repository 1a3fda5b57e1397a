import SwiftletAuth
import SwiftletBytes

/// Signs what servers tell each other, so that nobody else who may connect to the database can: `code.number.text`.
///
/// Numbers are microseconds since 1970, by ``BusClock``, and grow, so that a notification that was heard and is sent again
/// is not taken.
struct BusSeal: Sendable {
    /// How old a notification may be, in microseconds, and how far the times of two servers may lie apart.
    static let tolerance = 60_000_000
    /// The code, two dots and a number.
    static let maximumBytes = 43 + 2 + 20

    private let key: HMACKey
    private var lastSent = 0
    /// By the sender. Those of servers that have ended stay until they are too old to matter.
    private var lastTaken: [ServerID: Int] = [:]

    init(_ key: HMACKey) { self.key = key }

    /// nil if the text cannot be signed.
    mutating func seal(_ text: String, at microseconds: Int) -> String? {
        lastSent = max(lastSent + 1, microseconds)
        let signed = "\(lastSent).\(text)"
        guard let code = code(signed) else { return nil }
        return "\(code).\(signed)"
    }

    /// The text and its number; nil for what no server of this database has signed, or not lately.
    func open(_ sealed: String, at microseconds: Int) -> (number: Int, text: String)? {
        let parts = sealed.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let code = code(String(parts[1])) else { return nil }
        guard isEqualInConstantTime(Array(parts[0].utf8).span, Array(code.utf8).span) else { return nil }
        let rest = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let times = (microseconds - Self.tolerance)...(microseconds + Self.tolerance)
        guard rest.count == 2, let number = Int(rest[0]), times.contains(number) else { return nil }
        return (number, String(rest[1]))
    }

    /// Whether this is the first time that it has come.
    mutating func take(_ number: Int, from sender: ServerID, at microseconds: Int) -> Bool {
        if lastTaken.count > 100 { lastTaken = lastTaken.filter { $0.value > microseconds - 2 * Self.tolerance } }
        guard number > lastTaken[sender] ?? 0 else { return false }
        lastTaken[sender] = number
        return true
    }

    private func code(_ text: String) -> String? {
        (try? key.authenticate(Array(text.utf8))).map { Base64URL.encode($0.span) }
    }
}
