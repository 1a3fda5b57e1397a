import SwiftletPostgres

/// A limit on the rows that a statement gives or changes, which the statement itself enforces: when it is passed, a
/// cast fails on purpose, and the transaction with it. No second round trip is needed to undo the change.
enum RowCountCheck: Hashable, Sendable {
    /// Exactly one row, for an answer that is one object.
    case one
    case atMost(Int)

    private static let mark = "swiftlet row count"

    /// An expression that is NULL, or fails. `count` is a trusted expression of type bigint.
    func sql(_ count: String) -> String {
        let isPassed =
            switch self {
            case .one: "\(count) <> 1"
            case .atMost(let maximum): "\(count) > \(maximum)"
            }
        let kind = if case .one = self { "one" } else { "at most" }
        return "CASE WHEN \(isPassed) THEN ('\(Self.mark) \(kind) ' || \(count))::int END"
    }

    /// The error that a failed check means; nil for other errors.
    static func refusal(_ error: PostgresError) -> RestError? {
        guard error.state == .invalidTextRepresentation, !error.isWithinFunction,
            let start = error.message.firstRange(of: "\"\(mark) ")
        else { return nil }
        let words = error.message[start.upperBound...].prefix { $0 != "\"" }.split(separator: " ")
        guard let count = words.last.flatMap({ Int($0) }) else { return nil }
        return words.first == "one" ? .notOneRow(count) : .tooManyAffected(count)
    }
}
