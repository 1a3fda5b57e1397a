import SwiftletHTTP
import SwiftletPostgres

/// Rows as comma-separated values in PostgreSQL's own form: NULL is nothing, an empty text is `""`.
enum CSVRows {
    static let rowsAtOnce = 2_000

    /// The bytes that `COPY … CSV` writes for these rows.
    static func bytes(of rows: borrowing Rows) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.count * rows.columnCount * 16)
        for row in 0..<rows.count {
            for column in 0..<rows.columnCount {
                if column > 0 { bytes.append(comma) }
                if !rows.isNull(row, column) { append(rows.cell(row, column), to: &bytes) }
            }
            bytes.append(lineFeed)
        }
        return bytes
    }

    static func head(_ names: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { bytes.append(comma) }
            append(Array(name.utf8).span, to: &bytes)
        }
        bytes.append(lineFeed)
        return bytes
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")

    /// Quotes what the separators would cut, and what would be read as NULL (PostgreSQL, COPY, "CSV Format").
    private static func append(_ cell: borrowing Span<UInt8>, to bytes: inout [UInt8]) {
        var isQuoted =
            cell.isEmpty || (cell.count == 2 && cell[0] == UInt8(ascii: "\\") && cell[1] == UInt8(ascii: "."))
        for index in cell.indices where !isQuoted {
            let byte = cell[index]
            isQuoted = byte == comma || byte == quote || byte == lineFeed || byte == UInt8(ascii: "\r")
        }
        if isQuoted { bytes.append(quote) }
        for index in cell.indices {
            if cell[index] == quote { bytes.append(quote) }
            bytes.append(cell[index])
        }
        if isQuoted { bytes.append(quote) }
    }
}
