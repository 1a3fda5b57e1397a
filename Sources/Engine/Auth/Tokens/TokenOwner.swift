import SwiftletBytes

/// Whose tokens: a session's or an account's, by its UUID.
package struct TokenOwner: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// nil for anything but the text of a UUID, in either case.
    package init?(_ text: String) { self.init(text.utf8.span) }

    init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for position in text.indices {
            switch position {
            case 8, 13, 18, 23: guard text[position] == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = hexadecimalValue(text[position]) else { return nil }
                words = (words.high << 4 | words.low >> 60, words.low << 4 | UInt64(digit))
            }
        }
        (high, low) = words
    }
}
