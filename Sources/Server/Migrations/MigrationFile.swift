import SwiftletEssentials

/// One file `NNNN_name.sql`, or `20240403090422_name.sql` as Supabase names them.
package struct MigrationFile: Equatable, Sendable {
    /// Whose tables they are: each owner has a line of numbers of its own.
    package let owner: String
    package let number: Int
    /// The file name without `.sql`, as it is recorded in the database.
    package let name: String
    /// With LF line endings, so that a checkout on Windows has the same checksum.
    package let text: String

    /// The owner of files that are in no folder of their own.
    package static let application = "app"

    /// A bigint has them all.
    static let mostDigits = 18

    package init(fileName: String, text: String, owner: String = application) throws(MigrationError) {
        let parts = fileName.split(separator: "_", maxSplits: 1)
        guard fileName.hasSuffix(".sql"), parts.count == 2, (4...Self.mostDigits).contains(parts[0].count),
            parts[0].allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(parts[0]), number > 0
        else { throw .badFileName(fileName) }
        let name = String(fileName.dropLast(4))
        guard name.count > parts[0].count + 1 else { throw .badFileName(fileName) }
        // libpq takes it for the end.
        guard !text.utf8.contains(0) else { throw .unreadable(file: fileName, reason: "it contains a NUL character") }
        self.owner = owner
        self.number = number
        self.name = name
        self.text = text.replacing("\r\n", with: "\n")
    }

    /// Whether there is more than comments and space (PostgreSQL manual, 4.1.5).
    var hasStatement: Bool {
        var depth = 0
        for line in text.split(whereSeparator: \.isNewline) {
            var rest = Substring(line)
            while let character = rest.first {
                if rest.hasPrefix("/*") {
                    depth += 1
                    rest = rest.dropFirst(2)
                } else if depth > 0, rest.hasPrefix("*/") {
                    depth -= 1
                    rest = rest.dropFirst(2)
                } else if depth > 0 || character.isWhitespace || character == ";" {
                    rest = rest.dropFirst()
                } else if rest.hasPrefix("--") {
                    break
                } else {
                    return true
                }
            }
        }
        return false
    }

    /// The line of the 1-based character position that PostgreSQL reports.
    func line(at position: Int) -> Int {
        1 + text.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}
