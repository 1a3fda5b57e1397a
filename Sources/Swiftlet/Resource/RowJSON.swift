import Postgres

/// Writes rows as JSON objects straight from PostgreSQL's cells, dates normalised on the way.
struct RowJSON {
    let plan: ResourcePlan

    func writeObject(_ rows: borrowing Rows, _ row: Int, to json: inout JSONWriter) {
        for field in plan.fields {
            json.writeRaw(field.key.span)
            if rows.isNull(row, field.position) {
                writeNull(field.kind, to: &json)
            } else {
                write(rows.cell(row, field.position), field.kind, to: &json)
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

    private func writeNull(_ kind: CellKind, to json: inout JSONWriter) {
        if case .enumeration(let words) = kind {
            json.writeRaw("\"")
            json.writeRaw(words.word(forStored: nil).utf8.span)
            json.writeRaw("\"")
        } else {
            json.writeRaw("null")
        }
    }

    private func write(_ cell: borrowing Span<UInt8>, _ kind: CellKind, to json: inout JSONWriter) {
        switch kind {
        case .text: json.writeText(utf8: cell)
        case .plain:
            json.writeRaw("\"")
            json.writeRaw(cell)
            json.writeRaw("\"")
        case .number: json.writeNumber(postgresText: cell)
        case .bool: json.writeRaw(cell.count > 0 && cell[0] == UInt8(ascii: "t") ? "true" : "false")
        case .timestamp: json.writeTimestamp(postgresText: cell)
        case .json: json.writeJSON(utf8: cell)
        case .array(let element): ArrayCell.write(cell, of: element, to: &json)
        case .enumeration(let words): writeWord(cell, words, to: &json)
        }
    }

    private func writeWord(_ cell: borrowing Span<UInt8>, _ words: Enumeration, to json: inout JSONWriter) {
        json.writeRaw("\"")
        if words.isWord(cell) {
            json.writeRaw(cell)
        } else {
            json.writeRaw(words.word(forStored: String(utf8: cell)).utf8.span)
        }
        json.writeRaw("\"")
    }
}
