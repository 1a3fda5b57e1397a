import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

/// Writes rows as JSON objects, straight from PostgreSQL's cells; dates are normalized on the way.
struct RowJSON {
    private let layout: RowLayout

    init(_ layout: RowLayout) {
        self.layout = layout
    }

    /// Writes the rows in `range`, separated by commas.
    func writeObjects(_ rows: borrowing Rows, _ range: Range<Int>, to json: inout JSONWriter) {
        unsafe withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: rows.columnCount) { cells in
            for row in range {
                if row > range.lowerBound { json.writeRaw(",") }
                unsafe rows.readCells(of: row, into: cells)
                unsafe writeObject(rows, row, cells.span, to: &json)
            }
        }
    }

    @unsafe
    private func writeObject(
        _ rows: borrowing Rows,
        _ row: Int,
        _ cells: borrowing Span<UnsafeRawBufferPointer>,
        to json: inout JSONWriter
    ) {
        var member = 0
        while true {
            member = unsafe json.writeMembers(layout.template, cells, from: member)
            guard member < layout.details.count else { break }
            let position = layout.positions[member]
            write(rows.cell(row, position), isNull: rows.isNull(row, position), layout.details[member], to: &json)
            json.nameUndecodableValue(layout.template.name(ofMember: member))
            member += 1
        }
        json.writeRaw("}")
    }

    private func write(
        _ cell: borrowing Span<UInt8>,
        isNull: Bool,
        _ detail: RowLayout.Detail,
        to json: inout JSONWriter
    ) {
        switch detail {
        case .array(let element): ArrayCell.write(cell, of: element, to: &json)
        case .stringArray(let kind): StringsCell.writeList(cell, of: kind, to: &json)
        case .stringDictionary: StringsCell.writeObject(cell, to: &json)
        case .enumeration(let words):
            // `Enumeration.fault` refuses words that need escaping.
            json.writeRaw("\"")
            json.writeRaw(words.word(forStored: isNull ? nil : String(utf8: cell)).utf8.span)
            json.writeRaw("\"")
        case .objects(let times): json.writeJSON(utf8: cell, nulling: .members(times))
        case .none: json.writeRaw("null")
        }
    }
}
