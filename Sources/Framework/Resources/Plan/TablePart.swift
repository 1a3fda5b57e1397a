import SwiftletPostgres
import SwiftletWeb

/// The rows of a table that belong to a resource by ``Only(_:_:)``.
struct TablePart: Sendable {
    let column: String
    /// What a new row gets.
    let first: JSONValue
    let condition: Condition
    private let kind: ColumnKind
    /// Every stored spelling, in PostgreSQL's text form.
    private let values: [String]

    /// nil if the column's type can hold none of the words.
    init?(_ rule: OnlyRule, _ column: Column, _ words: Enumeration?) {
        let kind = ColumnKind(column)
        let spellings = rule.words.flatMap { words?.spellings(of: $0) ?? [$0] }
        values = spellings.compactMap { try? kind.parameter(forText: $0) }
        guard let first = values.first else { return nil }
        self.column = column.name
        self.first = Self.json(first, kind)
        self.kind = kind
        condition = .anyOf(column.name, values)
    }

    private static func json(_ text: String, _ kind: ColumnKind) -> JSONValue {
        switch kind {
        case .bool: .bool(["true", "t", "1"].contains(text))
        case .integer, .numeric, .float: JSONNumber(text: text).map(JSONValue.number) ?? .null
        default: .string(text)
        }
    }

    func holds(_ value: JSONValue) -> Bool {
        guard let value = try? kind.parameter(for: value) else { return false }
        return values.contains(value)
    }
}
