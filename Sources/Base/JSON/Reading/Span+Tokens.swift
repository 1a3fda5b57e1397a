import SwiftletBytes

extension Span<UInt8> {
    /// Whether `word` begins at `start`.
    func hasLiteral(_ word: StaticString, at start: Int) -> Bool {
        guard count &- start >= word.utf8CodeUnitCount else { return false }
        for offset in 0..<word.utf8CodeUnitCount {
            let expected = unsafe word.utf8Start[offset]
            guard self[start &+ offset] == expected else { return false }
        }
        return true
    }

    /// The value of the four hexadecimal digits at `start`; nil when there are none.
    func hexadecimal(at start: Int) -> UInt32? {
        guard count &- start >= 4 else { return nil }
        var value: UInt32 = 0
        for index in start..<start &+ 4 {
            guard let digit = hexadecimalValue(self[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
