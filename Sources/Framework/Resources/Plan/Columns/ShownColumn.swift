import SwiftletPostgres
import SwiftletWeb

/// A column whose rows show other words than they store, see ``Shown(_:in:where:needs:)``.
struct ShownColumn: Sendable {
    private let name: String
    private let words: [ShownWord]

    /// nil if no row of `table` can show another word there. What the database lacks is added to `missing`.
    init?(_ column: Column, of table: Table, _ rules: ResourceRules, missing: inout [String]) {
        let declared = rules.shownWords.filter { $0.column.name == column.name }
        for word in declared { missing += table.lacking(word.needs) }
        words = declared.filter { table.lacking($0.needs).isEmpty }
        name = "t." + column.name.quotedIdentifier
        if words.isEmpty { return nil }
    }

    /// SQL for what a row shows.
    var expression: String {
        let cases = words.map { "WHEN \($0.predicate) THEN \(Identifier.literal($0.word))" }
        return "CASE \(cases.joined(separator: " ")) ELSE \(name)::text END"
    }

    /// What the author wrote as SQL, by its rule.
    var declaredSQL: [(rule: String, expression: String)] {
        words.map { ("Shown(\"\($0.word)\")", "(\($0.predicate)) IS TRUE") }
    }

    /// The rows that show one of `wanted`, which stand for `stored`.
    ///
    /// It names the column itself, so that an index finds the rows that show what they store.
    func condition(showing wanted: [String], stored: [String]) -> Condition {
        var alternatives: [String] = []
        var others: [String] = []
        for word in words {
            let suits = others + ["(\(word.predicate))"]
            if wanted.contains(word.word) { alternatives.append(suits.joined(separator: " AND ")) }
            others.append("(\(word.predicate)) IS NOT TRUE")
        }
        alternatives.append((others + ["\(name) = ANY "]).joined(separator: " AND "))
        let filter = WordFilter(condition: alternatives.joined(separator: " OR "))
        return Condition(shape: .word(filter), value: ArrayLiteral.text(stored))
    }
}
