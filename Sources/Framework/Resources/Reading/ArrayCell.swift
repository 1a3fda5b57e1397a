import SwiftletWeb

/// Turns PostgreSQL's array text (`{a,"b c",NULL}`, `{{1,2},{3,4}}`, manual 8.15.2) into a JSON array.
///
/// Arrays of types without a known text form are converted by PostgreSQL.
enum ArrayCell {
    /// `isFlat` leaves out NULL and the inner brackets and makes every element a string, for clients that decode a list
    /// of strings.
    static func write(
        _ cell: borrowing Span<UInt8>,
        of element: ColumnKind,
        isFlat: Bool = false,
        to json: inout JSONWriter
    ) {
        // A lower bound other than 1 is written before the braces: [0:1]={a,b}.
        var position = 0
        while position < cell.count, cell[position] != UInt8(ascii: "{") { position += 1 }
        position += 1
        let end = cell.count - 1
        json.writeRaw("[")
        var isFirst = true
        while position < end {
            switch cell[position] {
            case UInt8(ascii: ","):
                position += 1
            case UInt8(ascii: "}"):
                if !isFlat {
                    json.writeRaw("]")
                    isFirst = false
                }
                position += 1
            case UInt8(ascii: "{"):
                if !isFlat {
                    json.writeRaw(isFirst ? "[" : ",[")
                    isFirst = true
                }
                position += 1
            case UInt8(ascii: "\""):
                if !isFirst { json.writeRaw(",") }
                isFirst = false
                position = writeQuoted(cell, from: position + 1, of: element, asString: isFlat, to: &json)
            default:
                let start = position
                while position < end, !endsPlainElement(cell[position]) { position += 1 }
                let text = cell.extracting(start..<position)
                let isNull = isNull(text)
                if isFlat, isNull { continue }
                if !isFirst { json.writeRaw(",") }
                isFirst = false
                if isNull {
                    json.writeRaw("null")
                } else {
                    write(text, of: element, asString: isFlat, to: &json)
                }
            }
        }
        json.writeRaw("]")
    }

    private static func endsPlainElement(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
    }

    /// PostgreSQL writes NULL without quotes, and a text of that name with them.
    private static func isNull(_ text: borrowing Span<UInt8>) -> Bool {
        text.count == 4 && text[0] == UInt8(ascii: "N") && text[1] == UInt8(ascii: "U") && text[2] == UInt8(ascii: "L")
            && text[3] == UInt8(ascii: "L")
    }

    /// Returns the position after the closing quote.
    private static func writeQuoted(
        _ cell: borrowing Span<UInt8>,
        from start: Int,
        of element: ColumnKind,
        asString: Bool,
        to json: inout JSONWriter
    ) -> Int {
        var position = start
        var text: [UInt8] = []
        while position < cell.count, cell[position] != UInt8(ascii: "\"") {
            if cell[position] == UInt8(ascii: "\\"), position + 1 < cell.count { position += 1 }
            text.append(cell[position])
            position += 1
        }
        write(text.span, of: element, asString: asString, to: &json)
        return position + 1
    }

    private static func write(
        _ text: borrowing Span<UInt8>,
        of element: ColumnKind,
        asString: Bool,
        to json: inout JSONWriter
    ) {
        switch element {
        case .integer where !asString, .numeric where !asString, .float where !asString:
            json.writeNumber(postgresText: text)
        case .bool:
            let word = text.count > 0 && text[0] == UInt8(ascii: "t") ? "true" : "false"
            if asString { json.writeText(utf8: word.utf8.span) } else { json.writeRaw(word.utf8.span) }
        case .timestamp where asString, .timestampWithZone where asString: json.writeTimestampText(postgresText: text)
        case .timestamp, .timestampWithZone: json.writeTimestamp(postgresText: text)
        case .date where !asString: json.writeDate(postgresText: text)
        default: json.writeText(utf8: text)
        }
    }
}
