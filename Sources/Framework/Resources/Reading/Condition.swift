import SwiftletPostgres
import SwiftletWeb

/// One term of a WHERE clause with its bound value.
///
/// ``shape`` decides the SQL text, the value only fills the parameter, so statements are shared by all values.
struct Condition: Sendable {
    let shape: Shape
    let value: String

    enum Shape: Hashable, Sendable {
        case equals(String)
        case anyOf(String)
        case isNull(String)
        case atLeast(String)
        case before(String)
        case atMost(String)
        case named(NameFilter)
        case word(WordFilter)
        case search
        /// For a text that no index finds.
        case shortSearch
        case notDeleted
        case never
    }

    /// Equality; if the column's type cannot hold `value`, no row matches.
    static func equals(_ column: String, _ kind: ColumnKind, _ value: String) -> Condition {
        guard let parameter = try? kind.parameter(forText: value) else { return never }
        return Condition(shape: .equals(column), value: parameter)
    }

    /// One of `values`, in PostgreSQL's text form.
    static func anyOf(_ column: String, _ values: [String]) -> Condition {
        values.count == 1
            ? Condition(shape: .equals(column), value: values[0])
            : Condition(shape: .anyOf(column), value: ArrayLiteral.text(values))
    }

    static let notDeleted = Condition(shape: .notDeleted, value: "")
    static let never = Condition(shape: .never, value: "")
}

extension Condition.Shape {
    var bindsValue: Bool {
        switch self {
        case .isNull, .notDeleted, .never: false
        default: true
        }
    }
}

extension [Condition] {
    var shapes: [Condition.Shape] { map(\.shape) }

    /// Whether no row can match.
    var areImpossible: Bool { contains { $0.shape == .never } }

    /// Their values, for a statement without others before them.
    var parameters: Parameters {
        var parameters = Parameters()
        bind(to: &parameters)
        return parameters
    }

    func bind(to parameters: inout Parameters) {
        for condition in self where condition.shape.bindsValue {
            parameters.append(condition.value)
        }
    }
}
