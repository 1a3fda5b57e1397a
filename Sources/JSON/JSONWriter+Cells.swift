/// What the text of a row's cell says, and so how it becomes JSON.
package enum CellForm: UInt8, Sendable {
    /// Any text.
    case text
    /// Text that never needs escaping: UUIDs, dates, words of a vocabulary.
    case plain
    case number
    /// `t` or `f`.
    case bool
    /// A `timestamp` or `timestamptz`, printed with `DateStyle` ISO.
    case timestamp
    /// The text of a `json` or `jsonb` value.
    case json
}

extension JSONWriter {
    /// Appends a member of a row's object: `key` as it is (`,"name":`), and behind it the cell.
    ///
    /// Hundreds of these make a page, so a member is one call and short runs are copied word by word within it.
    package mutating func writeMember(
        rawKey key: borrowing Span<UInt8>,
        _ cell: borrowing Span<UInt8>,
        as form: CellForm
    ) {
        buffer.reserve(key.count &+ cell.count &+ 2)
        buffer.appendReserved(key)
        switch form {
        case .text: writeText(utf8: cell)
        case .plain:
            buffer.appendReserved(UInt8(ascii: "\""))
            buffer.appendReserved(cell)
            buffer.appendReserved(UInt8(ascii: "\""))
        case .number: writeNumber(postgresText: cell)
        case .bool: buffer.append(cell.count > 0 && cell[0] == UInt8(ascii: "t") ? "true" : "false")
        case .timestamp: writeTimestamp(postgresText: cell)
        case .json where cell.count < Self.shortestStamp: buffer.appendReserved(cell)
        case .json: writeJSON(utf8: cell)
        }
    }

    /// Appends `key` as it is and `null` behind it.
    package mutating func writeNullMember(rawKey key: borrowing Span<UInt8>) {
        buffer.reserve(key.count &+ 8)
        buffer.appendReserved(key)
        buffer.appendReserved(0x6C6C_756E, length: 4)
    }

    /// The shortest JSON text that holds a time: two quotes round `YYYY-MM-DDThh:mm:ss`.
    private static var shortestStamp: Int { 21 }
}
