/// The tables that a file makes, as far as its text tells: statements that begin with `CREATE TABLE name (`, a column a line.
extension MigrationFile {
    struct CreatedTable: Equatable {
        let name: String
        /// It is made `IF NOT EXISTS`.
        let mayExist: Bool
        let columns: [String]
    }

    var tables: [CreatedTable] {
        var tables: [CreatedTable] = []
        var current: (name: String, mayExist: Bool, columns: [String])?
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first else { continue }
            if let open = current {
                if first.hasPrefix(")") {
                    tables.append(CreatedTable(name: open.name, mayExist: open.mayExist, columns: open.columns))
                    current = nil
                } else if words.count > 1, Self.isColumn(first) {
                    current?.columns.append(String(first))
                }
            } else if line == "SELECT swiftlet_create_devices();" {
                tables.append(Self.devices)
            } else if words.starts(with: ["CREATE", "TABLE"]), words.last == "(" {
                let mayExist = words.dropFirst(2).starts(with: ["IF", "NOT", "EXISTS"])
                let name = words.dropFirst(mayExist ? 5 : 2).first
                if let name { current = (String(name), mayExist, []) }
            }
        }
        return tables
    }

    /// See `swiftlet_create_devices()` in `0017_schema.sql`.
    private static let devices = CreatedTable(
        name: "devices",
        mayExist: true,
        columns: ["id", "platform", "model", "app_version", "secret_hash", "created_at", "updated_at"]
    )

    /// Column names are written in lower case, keywords in capitals; a list within brackets goes on for several lines.
    private static func isColumn(_ word: Substring) -> Bool {
        word.first.map { $0.isLowercase && $0.isASCII } == true
            && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
    }
}
