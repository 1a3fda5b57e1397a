import SwiftletJSON

/// `column=operator.value` of a subscription; several are joined by commas.
struct ChangeFilter: Equatable, Sendable {
    enum Comparison: String, CaseIterable, Sendable {
        case eq, neq, lt, lte, gt, gte, `in`
    }

    struct Condition: Equatable, Sendable {
        let column: String
        let comparison: Comparison
        /// As text of the client; more than one for `in` only.
        let values: [String]
    }

    /// Values of one `in`.
    static let maximumValues = 100
    static let maximumConditions = 16
    static let maximumBytes = 8_000

    let conditions: [Condition]

    static let none = ChangeFilter(conditions: [])

    private init(conditions: [Condition]) { self.conditions = conditions }

    /// Throws the message for the client.
    init(_ text: String) throws(ChangeRequestError) {
        guard text.utf8.count <= Self.maximumBytes else { throw .filter(text) }
        var conditions: [Condition] = []
        for part in try Self.split(text, original: text) {
            guard let equals = part.firstIndex(of: "="), equals != part.startIndex else { throw .filter(text) }
            let rest = part[part.index(after: equals)...]
            guard let dot = rest.firstIndex(of: ".") else { throw .filter(text) }
            guard let comparison = Comparison(rawValue: String(rest[..<dot])) else { throw .filter(text) }
            let value = rest[rest.index(after: dot)...]
            var values = [Self.unquoted(value)]
            if comparison == .in {
                guard value.hasPrefix("("), value.hasSuffix(")"), value.count >= 2 else {
                    throw ChangeRequestError("`in` filter value must be wrapped by parentheses")
                }
                values = try Self.split(value.dropFirst().dropLast(), original: text).map { Self.unquoted($0) }
                guard values.count <= Self.maximumValues else { throw .filter(text) }
            }
            conditions.append(Condition(column: String(part[..<equals]), comparison: comparison, values: values))
        }
        guard (1...Self.maximumConditions).contains(conditions.count) else { throw .filter(text) }
        self.conditions = conditions
    }

    /// Splits at commas outside quotes and parentheses.
    private static func split(
        _ text: some StringProtocol,
        original: String
    ) throws(ChangeRequestError) -> [Substring] {
        let text = Substring(text)
        var parts: [Substring] = []
        var start = text.startIndex
        var index = start
        var depth = 0
        var isQuoted = false
        while index < text.endIndex {
            switch text[index] {
            case "\\" where isQuoted:
                index = text.index(after: index)
                guard index < text.endIndex else { throw .filter(original) }
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted: depth += 1
            case ")" where !isQuoted: depth -= 1
            case "," where !isQuoted && depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
            index = text.index(after: index)
        }
        guard !isQuoted, depth == 0 else { throw .filter(original) }
        return parts + [text[start...]]
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

/// Why a subscription cannot be made; the message is for the client.
package struct ChangeRequestError: Error, Equatable, Sendable {
    package let message: String

    init(_ message: String) { self.message = message }

    static func filter(_ text: String) -> ChangeRequestError {
        ChangeRequestError("Error parsing `filter` params: [\"\(text)\"]")
    }
}
