/// A statement of a pending migration that disturbs servers, or apps, which go on with the schema from before it.
package struct MigrationHazard: Equatable, Sendable, CustomStringConvertible {
    package let effect: HazardEffect
    package let file: String
    package let line: Int
    /// What it says, in one line, and cut where it is long.
    package let statement: String
    /// What to do instead.
    package let advice: String

    package var description: String {
        let effect = effect == .breaks ? "breaks servers that run with the old schema" : "blocks the table"
        return "\(file):\(line): \(statement): \(effect): \(advice)"
    }

    /// Those of files that are applied in this order. What applies to an object that they make themselves is none.
    ///
    /// The text alone is judged: SQL that a function or a `DO` makes of strings is not seen.
    package static func find(in files: [MigrationFile], existing: Set<String>? = nil) -> [MigrationHazard] {
        var created = CreatedObjects(existing: existing)
        var hazards: [MigrationHazard] = []
        for file in files {
            let bytes = Array(file.text.utf8)
            let statements = SQLStatementList.statements(bytes)
            // In one transaction, so that nobody sees them gone.
            let replaced = statements.reduce(into: CreatedObjects()) { $0.note($1) }
            for tokens in statements {
                var examination = StatementExamination(created: created, replaced: replaced)
                examination.examine(tokens)
                created.note(tokens)
                hazards += examination.found.map { finding in
                    MigrationHazard(
                        effect: finding.effect,
                        file: file.name,
                        line: 1 + bytes[..<finding.position].count { $0 == UInt8(ascii: "\n") },
                        statement: summary(finding.tokens, bytes),
                        advice: finding.advice
                    )
                }
            }
        }
        return hazards
    }

    private static let maximumLength = 100

    private static func summary(_ tokens: [SQLToken], _ bytes: [UInt8]) -> String {
        var text = ""
        var end = 0
        for token in tokens {
            if !text.isEmpty, token.range.lowerBound > end { text += " " }
            text += String(decoding: bytes[token.range], as: UTF8.self)
            end = token.range.upperBound
        }
        text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > maximumLength ? "\(text.prefix(maximumLength - 1))…" : text
    }
}
