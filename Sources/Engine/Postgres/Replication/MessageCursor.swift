/// Reads the fields of one message, big-endian, and never beyond its end.
struct MessageCursor: ~Copyable {
    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var remaining: Int { bytes.count - offset }

    mutating func byte() throws(ReplicationMessageError) -> UInt8 {
        guard remaining > 0 else { throw .cutShort }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws(ReplicationMessageError) -> Value {
        let width = Value.bitWidth / 8
        guard remaining >= width else { throw .cutShort }
        var value: Value = 0
        for byte in bytes[offset..<offset + width] { value = value << 8 | Value(truncatingIfNeeded: byte) }
        offset += width
        return value
    }

    mutating func logSequenceNumber() throws(ReplicationMessageError) -> LogSequenceNumber {
        LogSequenceNumber(rawValue: try integer(UInt64.self))
    }

    /// Microseconds since 2000-01-01, as PostgreSQL counts.
    mutating func moment() throws(ReplicationMessageError) -> Int64 { try integer(Int64.self) }

    /// Text up to a zero byte, which is skipped.
    mutating func text() throws(ReplicationMessageError) -> String {
        guard let end = bytes[offset...].firstIndex(of: 0) else { throw .cutShort }
        defer { offset = end + 1 }
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    /// Skips so many bytes and says where they are.
    mutating func range(_ count: Int) throws(ReplicationMessageError) -> Range<Int> {
        guard count >= 0 else { throw .invalid }
        guard remaining >= count else { throw .cutShort }
        defer { offset += count }
        return offset..<offset + count
    }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }
}

/// Why a message of a replication stream cannot be read. The stream cannot go on behind it.
package enum ReplicationMessageError: Error, Equatable, Sendable {
    case cutShort
    /// Bytes follow where the message should end.
    case tooLong
    /// A length or a kind has a value that the protocol does not have.
    case invalid
    case unknownMessage(UInt8)
}
