import SwiftletBytes

/// What the text of a cell contains, which decides how it is written as JSON.
package enum CellForm: UInt8, Sendable {
    /// Any text.
    case text
    /// Text that never needs escaping, such as UUIDs and dates.
    case plain
    /// A number in PostgreSQL's digits; `NaN` and the infinities are null.
    case number
    /// `t` or `f`.
    case bool
    /// A `timestamp` or `timestamptz`, printed with `DateStyle` ISO; null if apps cannot decode it.
    case timestamp
    /// A `date`; null if apps cannot decode it.
    case date
    /// The text of a `json` or `jsonb` value. Texts in it stay, also where `to_jsonb` made them of times that apps cannot
    /// decode: nothing tells them from what somebody wrote.
    case json
    /// A word of a fixed vocabulary. Other words, and NULL, are left to the caller.
    case word
    /// Left to the caller, unless it is NULL.
    case other
}

extension JSONWriter {
    /// Appends the members of a row's object from `first` on. Returns the index of the first member whose value is left
    /// to the caller, after writing its key, or the number of members when there is none.
    ///
    /// `cells` are those of the row in the order of the select list; NULL has no address. A page consists of hundreds
    /// of members, so this is one loop without calls for the usual ones, and short runs are copied word by word.
    @unsafe
    package mutating func writeMembers(
        _ template: borrowing RowTemplate,
        _ cells: borrowing Span<UnsafeRawBufferPointer>,
        from first: Int
    ) -> Int {
        let members = template.members.span
        let text = template.text.span
        var index = first
        while index < members.count {
            let member = members[index]
            let pointer = unsafe cells[member.position]
            let cell = unsafe Span<UInt8>(_unsafeBytes: pointer)
            buffer.reserve(member.keyLength &+ cell.count &+ 8)
            buffer.appendReserved(text, from: member.keyStart, length: member.keyLength)
            if unsafe pointer.baseAddress == nil {
                if member.form == .word { return index }
                buffer.appendNull()
            } else if member.form == .word {
                guard RowTemplate.isWord(cell, of: member, template.words.span, text) else { return index }
                buffer.appendPlain(cell)
            } else if member.form == .other {
                return index
            } else if !append(cell, as: member.form) {
                noteUndecodable(template.name(of: member))
            }
            index &+= 1
        }
        return index
    }

    /// Returns false for a time that apps cannot decode, which is null.
    @inline(__always)
    private mutating func append(_ cell: borrowing Span<UInt8>, as form: CellForm) -> Bool {
        switch form {
        case .date where UndecodableTime.isPostgres(cell):
            buffer.appendNull()
            return false
        case .plain, .date, .word, .other: buffer.appendPlain(cell)
        case .text:
            if let stamp = DateNormalizer.stamp(cell) {
                buffer.appendQuoted(stamp)
            } else {
                buffer.appendQuoted(cell, isValidUTF8: false)
            }
        case .number:
            // PostgreSQL prints numbers as JSON does, and NaN and the infinities in letters.
            if cell.count > 0, cell[cell.count &- 1] &- UInt8(ascii: "0") < 10 {
                buffer.appendReserved(cell)
            } else {
                buffer.appendNull()
            }
        case .bool:
            let isTrue = cell.count > 0 && cell[0] == UInt8(ascii: "t")
            buffer.appendReserved(isTrue ? ASCIIWord.true : ASCIIWord.false, length: isTrue ? 4 : 5)
        case .timestamp:
            if let stamp = Stamp(reading: cell, as: .postgres) {
                buffer.appendQuoted(stamp)
            } else if UndecodableTime.isPostgres(cell) {
                buffer.appendNull()
                return false
            } else {
                writeText(utf8: cell)
            }
        case .json where cell.count < Self.shortestStamp && UTF8Sequence.isValid(cell): buffer.appendReserved(cell)
        case .json: writeJSON(utf8: cell)
        }
        return true
    }

    /// The length of the shortest JSON text with a time in it: `"YYYY-MM-DDThh:mm:ss"`.
    private static var shortestStamp: Int { Stamp.shortestLength + 2 }
}

/// The literals of JSON, the first character in the lowest byte.
private enum ASCIIWord {
    static let null: UInt64 = 0x6C6C_756E
    static let `true`: UInt64 = 0x6575_7274
    static let `false`: UInt64 = 0x65_736C_6166
}

extension ByteBuffer {
    /// Appends a short text in quotes that needs no escaping, for which the caller has reserved room.
    @inline(__always)
    fileprivate mutating func appendPlain(_ text: borrowing Span<UInt8>) {
        appendReserved(UInt8(ascii: "\""))
        appendReserved(text)
        appendReserved(UInt8(ascii: "\""))
    }

    /// Appends `null`, for which the caller has reserved eight bytes.
    @inline(__always)
    fileprivate mutating func appendNull() { appendReserved(ASCIIWord.null, length: 4) }
}
