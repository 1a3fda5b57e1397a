/// A time in the two forms that leave the server: whole seconds in responses, milliseconds in logs.
package struct UTCTime: Sendable {
    private let milliseconds: Int

    package init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// `2024-01-15T10:30:00Z`.
    package var wholeSeconds: String { stamp?.text ?? "" }

    /// `2024-01-15T10:30:00.123Z`.
    package var text: String {
        guard var bytes = stamp?.bytes else { return "" }
        let fraction = milliseconds % 1_000
        bytes[Stamp.length - 1] = UInt8(ascii: ".")
        for digit in [fraction / 100, fraction / 10 % 10, fraction % 10] {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
        }
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private var stamp: Stamp? { Stamp(secondsSince1970: milliseconds / 1_000) }
}
