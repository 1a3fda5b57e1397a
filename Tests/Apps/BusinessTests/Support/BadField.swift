import Testing

/// A body that must be refused, and the field that the answer must name.
struct BadField: Sendable, CustomTestStringConvertible {
    let field: String
    let body: String

    var testDescription: String { body.count > 80 ? "\(field), long" : body }

    /// The faults that a value of `kind` can have, each in a body that is `{"field":fault` and `rest`.
    static func all(_ field: String, _ kind: Kind, with rest: String = "") -> [BadField] {
        kind.faults.map { BadField(field: field, body: "{\"\(field)\":\($0)\(rest.isEmpty ? "" : ",\(rest)")}") }
    }

    enum Kind {
        case text
        case requiredText
        /// Of so many characters at most.
        case shortText(Int)
        case integer
        case number
        case flag
        case date
        case word
        /// The id of another tenant's row.
        case foreign(String)

        fileprivate var faults: [String] {
            switch self {
            case .text: ["7", "true", "[\"a\"]", "{\"a\":1}", #""a\u0000b""#]
            case .requiredText: Kind.text.faults + ["null", "\"\"", "\"  \""]
            case .shortText(let limit): Kind.text.faults + ["\"\(String(repeating: "x", count: limit + 1))\""]
            case .integer: ["\"7\"", "1.5", "true", "9223372036854775808", "2147483648", "[1]"]
            case .number: ["\"7\"", "true", "[1]", "{}", "1e400"]
            case .flag: ["\"true\"", "1", "0", "[true]"]
            case .date: ["\"soon\"", "\"2024-02-30\"", "\"\"", "7", "true", "[\"2024-01-01\"]"]
            case .word: ["\"no such word\"", "\"\"", "7", "[\"lead\"]"]
            case .foreign(let id): ["\"\(id)\"", "\"none\"", "7", "true"]
            }
        }
    }
}
