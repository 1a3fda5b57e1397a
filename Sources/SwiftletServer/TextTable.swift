/// Rows of text in aligned columns, for the terminal.
struct TextTable {
    let header: [String]
    let rows: [[String]]

    /// One line per row, each cell padded to the widest one in its column.
    var lines: [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + Self.gap)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private static let gap = 2
}
