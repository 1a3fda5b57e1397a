/// The form of times in logs: `2024-01-15T10:30:00.123Z`.
extension Stamp {
    package func text(milliseconds: Int) -> String {
        var buffer = ByteBuffer(minimumCapacity: Self.length + 4)
        buffer.append(self, milliseconds: milliseconds)
        return String(decoding: buffer.array(), as: UTF8.self)
    }
}

extension JSONWriter {
    /// Writes a time with milliseconds (0…999) as a string.
    package mutating func write(_ stamp: Stamp, milliseconds: Int) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(stamp, milliseconds: milliseconds)
        buffer.append(UInt8(ascii: "\""))
    }
}

extension ByteBuffer {
    fileprivate mutating func append(_ stamp: Stamp, milliseconds: Int) {
        reserve(Stamp.length + 4)
        appendReserved(stamp.head)
        appendReserved(stamp.middle)
        // `:ss` without the Z.
        appendReserved(UInt64(stamp.tail), length: 3)
        appendReserved(UInt8(ascii: "."))
        for digit in [milliseconds / 100, milliseconds / 10, milliseconds] {
            appendReserved(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit % 10))
        }
        appendReserved(UInt8(ascii: "Z"))
    }
}
