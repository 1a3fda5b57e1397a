/// Turns PostgreSQL's array text (`{a,"b c",NULL}`, manual 8.15.2) into a JSON array.
///
/// One dimension only: arrays of arrays, and of types without a known text form, are converted by PostgreSQL.
enum ArrayCell {
    static func write(
        _ cell: borrowing Span<UInt8>,
        of element: ColumnKind,
        skipsNull: Bool = false,
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
            if skipsNull, isNull(cell, from: position, to: end) {
                position += 5
                continue
            }
            if !isFirst { json.writeRaw(",") }
            isFirst = false
            if cell[position] == UInt8(ascii: "\"") {
                position = writeQuoted(cell, from: position + 1, of: element, to: &json)
            } else {
                let start = position
                while position < end, cell[position] != UInt8(ascii: ",") { position += 1 }
                writePlain(cell.extracting(start..<position), of: element, to: &json)
            }
            // Skip the comma.
            position += 1
        }
        json.writeRaw("]")
    }

    /// Whether the element at `start` is NULL, which PostgreSQL writes without quotes and a text of that name with
    /// them.
    private static func isNull(_ cell: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
        let isWord =
            start + 4 <= end && cell[start] == UInt8(ascii: "N") && cell[start + 1] == UInt8(ascii: "U")
            && cell[start + 2] == UInt8(ascii: "L") && cell[start + 3] == UInt8(ascii: "L")
        return isWord && (start + 4 == end || cell[start + 4] == UInt8(ascii: ","))
    }

    private static func writePlain(_ text: borrowing Span<UInt8>, of element: ColumnKind, to json: inout JSONWriter) {
        if isNull(text, from: 0, to: text.count) {
            json.writeRaw("null")
        } else {
            writeElement(text, of: element, to: &json)
        }
    }

    /// Returns the position behind the closing quote.
    private static func writeQuoted(
        _ cell: borrowing Span<UInt8>,
        from start: Int,
        of element: ColumnKind,
        to json: inout JSONWriter
    ) -> Int {
        var position = start
        var text: [UInt8] = []
        while position < cell.count, cell[position] != UInt8(ascii: "\"") {
            if cell[position] == UInt8(ascii: "\\"), position + 1 < cell.count { position += 1 }
            text.append(cell[position])
            position += 1
        }
        writeElement(text.span, of: element, to: &json)
        return position + 1
    }

    private static func writeElement(_ text: borrowing Span<UInt8>, of element: ColumnKind, to json: inout JSONWriter) {
        switch element {
        case .integer, .numeric, .float: json.writeNumber(postgresText: text)
        case .bool: json.writeRaw(text.count > 0 && text[0] == UInt8(ascii: "t") ? "true" : "false")
        case .timestamp, .timestampWithZone: json.writeTimestamp(postgresText: text)
        default: json.writeText(utf8: text)
        }
    }
}
