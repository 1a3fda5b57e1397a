import Postgres

/// Writes rows as JSON objects straight from PostgreSQL's cells, dates normalised on the way.
struct RowJSON {
    private let layout: RowLayout

    init(_ layout: RowLayout) {
        self.layout = layout
    }

    func writeObject(_ rows: borrowing Rows, _ row: Int, to json: inout JSONWriter) {
        let keys = layout.keys.span
        let fields = layout.fields.span
        for index in fields.indices {
            let field = fields[index]
            let key = keys.extracting(field.keyStart..<field.keyEnd)
            let cell = rows.cell(row, field.position)
            let isNull = cell.isEmpty && rows.isNull(row, field.position)
            switch field.form {
            case .enumeration:
                json.writeRaw(key)
                write(cell, isNull: isNull, layout.enumerations[field.detail], to: &json)
            case _ where isNull: json.writeNullMember(rawKey: key)
            case .cell(let form): json.writeMember(rawKey: key, cell, as: form)
            case .array:
                json.writeRaw(key)
                ArrayCell.write(cell, of: layout.elements[field.detail], to: &json)
            case .texts:
                json.writeRaw(key)
                TextsCell.writeList(cell, of: layout.elements[field.detail], to: &json)
            case .textMembers:
                json.writeRaw(key)
                TextsCell.writeObject(cell, to: &json)
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

    private func write(
        _ cell: borrowing Span<UInt8>,
        isNull: Bool,
        _ words: Enumeration,
        to json: inout JSONWriter
    ) {
        guard !isNull, words.isWord(cell) else {
            return writeWord(words.word(forStored: isNull ? nil : String(utf8: cell)), to: &json)
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
