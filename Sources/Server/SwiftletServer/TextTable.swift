/// Rows of text in aligned columns, for the terminal.
struct TextTable {
    let header: [String]
    let rows: [[String]]

    /// One line per row, each cell padded to the widest one in its column.
    var lines: [String] {
        let all = [header] + rows.map { $0.map(Self.harmless) }
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

    /// Names, errors and payloads come from people: what would steer the terminal, end the line or turn the direction
    /// of writing is shown as `\u{1b}`.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isSteering) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isSteering(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
