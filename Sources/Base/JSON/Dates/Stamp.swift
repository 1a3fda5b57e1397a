import SwiftletBytes

/// A UTC time in whole seconds, as the 20 bytes `YYYY-MM-DDThh:mm:ssZ` that every response uses.
package struct Stamp: Hashable, Sendable {
    /// `YYYY-MM-`, the first byte lowest.
    let head: UInt64
    /// `DDThh:mm`
    let middle: UInt64
    /// `:ssZ`
    let tail: UInt32

    package static let length = 20

    init(head: UInt64, middle: UInt64, tail: UInt32) {
        self.head = head
        self.middle = middle
        self.tail = tail
    }

    /// Nil outside the years 0001–9999.
    package init?(secondsSince1970 seconds: Int) {
        guard Self.representableSeconds.contains(seconds) else { return nil }
        let day = seconds >= 0 ? seconds / 86_400 : (seconds &+ 1) / 86_400 &- 1
        let second = seconds &- day &* 86_400
        let date = CivilDate(daysSince1970: day)
        head =
            Self.digits(date.year / 100) | Self.digits(date.year % 100) &<< 16 | Self.digits(date.month) &<< 40
            | 0x2D00_002D_0000_0000
        middle =
            Self.digits(date.day) | Self.digits(second / 3_600) &<< 24 | Self.digits(second / 60 % 60) &<< 48
            | 0x0000_3A00_0054_0000
        tail = UInt32(truncatingIfNeeded: Self.digits(second % 60) &<< 8) | 0x5A00_003A
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var bytes: [UInt8] {
        var buffer = ByteBuffer(minimumCapacity: Self.length)
        buffer.append(self)
        return buffer.array()
    }

    /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let representableSeconds = -62_135_596_800...253_402_300_799

    /// Two decimal digits, the first in the lowest byte.
    private static func digits(_ value: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: value / 10 | (value % 10) &<< 8 | 0x3030)
    }
}

extension ByteBuffer {
    @inline(__always)
    mutating func append(_ stamp: Stamp) {
        reserve(Stamp.length)
        appendReserved(stamp.head)
        appendReserved(stamp.middle)
        appendReserved(UInt64(stamp.tail), length: 4)
    }

    @inline(__always)
    mutating func appendQuoted(_ stamp: Stamp) {
        append(UInt8(ascii: "\""))
        append(stamp)
        append(UInt8(ascii: "\""))
    }
}
