import Postgres

/// Writes rows as JSON objects straight from PostgreSQL's cells, dates normalised on the way.
struct RowJSON {
    private let layout: RowLayout
    /// The shortest JSON text that holds a date-time: two quotes round `YYYY-MM-DDThh:mm:ss`.
    private static let shortestStamp = 21

    init(_ layout: RowLayout) {
        self.layout = layout
    }

    func writeObject(_ rows: borrowing Rows, _ row: Int, to json: inout JSONWriter) {
        let keys = layout.keys.span
        let fields = layout.fields.span
        for index in fields.indices {
            let field = fields[index]
            json.writeRaw(keys.extracting(field.keyStart..<field.keyEnd))
            let cell = rows.cell(row, field.position)
            if cell.isEmpty, rows.isNull(row, field.position) {
                writeNull(field, to: &json)
            } else {
                write(cell, field, to: &json)
            }
        }
        json.writeRaw("}")
    }

    /// Each row of the result, separated by commas.
    func writeObjects(_ rows: borrowing Rows, to json: inout JSONWriter) {
        for row in 0..<rows.count {
            if row > 0 { json.writeRaw(",") }
            writeObject(rows, row, to: &json)
        }
    }

    private func writeNull(_ field: RowLayout.Field, to json: inout JSONWriter) {
        guard field.form == .enumeration else { return json.writeRaw("null") }
        writeWord(layout.enumerations[field.detail].word(forStored: nil), to: &json)
    }

    private func write(_ cell: borrowing Span<UInt8>, _ field: RowLayout.Field, to json: inout JSONWriter) {
        switch field.form {
        case .text: json.writeText(utf8: cell)
        case .plain:
            json.writeRaw("\"")
            json.writeRaw(cell)
            json.writeRaw("\"")
        case .number: json.writeNumber(postgresText: cell)
        case .bool: json.writeRaw(cell.count > 0 && cell[0] == UInt8(ascii: "t") ? "true" : "false")
        case .timestamp: json.writeTimestamp(postgresText: cell)
        case .json where cell.count < Self.shortestStamp: json.writeRaw(cell)
        case .json: json.writeJSON(utf8: cell)
        case .array: ArrayCell.write(cell, of: layout.elements[field.detail], to: &json)
        case .enumeration: write(cell, layout.enumerations[field.detail], to: &json)
        }
    }

    private func write(_ cell: borrowing Span<UInt8>, _ words: Enumeration, to json: inout JSONWriter) {
        guard words.isWord(cell) else {
            return writeWord(words.word(forStored: String(utf8: cell)), to: &json)
        }
        json.writeRaw("\"")
        json.writeRaw(cell)
        json.writeRaw("\"")
    }

    /// A word of the vocabulary, which never needs escaping.
    private func writeWord(_ word: String, to json: inout JSONWriter) {
        json.writeRaw("\"")
        json.writeRaw(word.utf8.span)
        json.writeRaw("\"")
    }
}
