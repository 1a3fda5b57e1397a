/// A place in the write-ahead log, as `pg_lsn`: bytes since the log began.
package struct LogSequenceNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let zero = LogSequenceNumber(rawValue: 0)

    package static func < (left: LogSequenceNumber, right: LogSequenceNumber) -> Bool { left.rawValue < right.rawValue }
}

extension LogSequenceNumber: LosslessStringConvertible {
    /// Two hexadecimal halves, as `16/B374D848`; nil for anything else.
    package init?(_ description: String) {
        let halves = description.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let high = Self.half(halves[0]), let low = Self.half(halves[1]) else { return nil }
        rawValue = UInt64(high) << 32 | UInt64(low)
    }

    private static func half(_ text: Substring) -> UInt32? {
        text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") } ? UInt32(text, radix: 16) : nil
    }

    package var description: String {
        "\(String(rawValue >> 32, radix: 16, uppercase: true))/"
            + String(rawValue & 0xFFFF_FFFF, radix: 16, uppercase: true)
    }
}
