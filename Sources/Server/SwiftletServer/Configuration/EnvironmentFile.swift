/// A `.env` file: `NAME=value` lines, as shells and docker compose read them.
///
/// `export` in front is skipped; `#` begins a comment at a line's start or after a blank. In single quotes everything
/// is literal; in double quotes `\n \t \" \\ \$` are escapes. Nothing is expanded.
struct EnvironmentFile: Sendable {
    let values: [String: String]
    /// Names that occur more than once, of which the last counts, in alphabetical order.
    let doubledNames: [String]

    /// Throws all invalid lines by number. No line is quoted, because it may contain a secret.
    init(_ text: String) throws(ConfigurationError) {
        var values: [String: String] = [:]
        var doubled: Set<String> = []
        var faults: [String] = []
        // Both \n and \r\n are line ends ("\r\n" is one Character).
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            switch Self.parse(line) {
            case .none: break
            case .pair(let name, let value):
                if values.updateValue(value, forKey: name) != nil { doubled.insert(name) }
            case .fault(let fault): faults.append(".env line \(index + 1): \(fault)")
            }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults) }
        self.values = values
        doubledNames = doubled.sorted()
    }

    private enum Line {
        case none
        case pair(name: String, value: String)
        case fault(String)
    }

    private static func parse(_ line: Substring) -> Line {
        var rest = line.drop(while: \.isWhitespace)
        if rest.isEmpty || rest.first == "#" { return .none }
        if rest.hasPrefix("export ") { rest = rest.dropFirst(7).drop(while: \.isWhitespace) }
        guard let equals = rest.firstIndex(of: "=") else { return .fault("expected NAME=value") }
        let name = rest[..<equals]
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard isName, name.first?.isLetter == true || name.first == "_" else {
            return .fault("the name before = has letters, digits and underscores only")
        }
        guard let value = value(rest[rest.index(after: equals)...]) else {
            return .fault("the value of \(name) has no closing quote, or text behind it")
        }
        return .pair(name: String(name), value: value)
    }

    private static func value(_ text: Substring) -> String? {
        let visible = text.drop(while: \.isWhitespace)
        return ["\"", "'"].contains(visible.first) ? quoted(visible) : unquoted(text)
    }

    private static func unquoted(_ text: Substring) -> String {
        var value = ""
        for character in text {
            // A # inside a word belongs to it: passwords have them.
            if character == "#", value.last?.isWhitespace == true { break }
            value.append(character)
        }
        while value.last?.isWhitespace == true { value.removeLast() }
        return String(value.drop(while: \.isWhitespace))
    }

    private static func quoted(_ text: Substring) -> String? {
        guard let quote = text.first else { return nil }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == quote {
                rest = rest.drop(while: \.isWhitespace)
                return rest.isEmpty || rest.first == "#" ? value : nil
            }
            if character == "\\", quote == "\"", let escaped = rest.first, let meaning = escapes[escaped] {
                value.append(meaning)
                rest = rest.dropFirst()
            } else {
                value.append(character)
            }
        }
        return nil
    }

    private static let escapes: [Character: Character] = ["n": "\n", "t": "\t", "\"": "\"", "\\": "\\", "$": "$"]
}
