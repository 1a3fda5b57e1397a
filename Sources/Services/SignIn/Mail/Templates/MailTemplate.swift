import SwiftletJSON

/// A text with places for values, in the part of Go's templates that Supabase's own mails use: `{{ .Name }}`,
/// `{{ .Data.name }}`, `{{ if .Name }}…{{ else }}…{{ end }}`, `{{/* comment */}}`, and `{{-` and `-}}`, which take
/// blanks away.
struct MailTemplate: Sendable {
    private indirect enum Part {
        case text(String)
        case value([String])
        case condition([String], then: [Part], otherwise: [Part])
    }

    private let parts: [Part]

    private static let maximumDepth = 8
    /// Of what users have written themselves.
    private static let maximumValueCharacters = 500

    /// Throws what a person can mend, with the place that is not understood.
    init(_ text: String) throws(MailTemplateFault) {
        var tokens = try Self.tokens(text)[...]
        parts = try Self.parts(&tokens, depth: 0)
        guard tokens.isEmpty else { throw MailTemplateFault("there is an end or else without an if") }
    }

    /// The text with the values; `isHTML` escapes them.
    func fill(_ values: JSONObject, isHTML: Bool) -> String { Self.fill(parts, values, isHTML) }

    private static func fill(_ parts: [Part], _ values: JSONObject, _ isHTML: Bool) -> String {
        parts.reduce(into: "") { result, part in
            switch part {
            case .text(let text): result += text
            case .value(let path):
                let value = value(path, values)
                result += isHTML ? value.escapedForHTML : value
            case .condition(let path, let then, let otherwise):
                result += fill(value(path, values).isEmpty ? otherwise : then, values, isHTML)
            }
        }
    }

    /// Empty for what is missing, `false`, or an object.
    private static func value(_ path: [String], _ values: JSONObject) -> String {
        var value = JSONValue.object(values)
        for name in path { value = value[name] ?? .null }
        switch value {
        case .string(let text): return path.first == "Data" ? String(text.prefix(maximumValueCharacters)) : text
        case .number: return value.description
        case .bool(true): return "true"
        default: return ""
        }
    }

    // MARK: Reading

    private enum Token {
        case text(String)
        case value([String])
        case ifNotEmpty([String])
        case otherwise
        case end
    }

    private static func tokens(_ text: String) throws(MailTemplateFault) -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(text)
        var trims = false
        while true {
            let open = rest.firstRange(of: "{{")
            var literal = String(rest[..<(open?.lowerBound ?? rest.endIndex)])
            if trims { literal = String(literal.drop(while: \.isWhitespace)) }
            guard let open else {
                tokens.append(.text(literal))
                return tokens
            }
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                throw MailTemplateFault("{{ is not closed: \(rest.prefix(40))")
            }
            var action = rest[..<close.lowerBound]
            rest = rest[close.upperBound...]
            if action.hasPrefix("-") {
                action.removeFirst()
                while literal.last?.isWhitespace == true { literal.removeLast() }
            }
            trims = action.hasSuffix("-")
            if trims { action.removeLast() }
            tokens.append(.text(literal))
            if let token = try token(action) { tokens.append(token) }
        }
    }

    /// nil for a comment.
    private static func token(_ action: Substring) throws(MailTemplateFault) -> Token? {
        let words = action.split(whereSeparator: \.isWhitespace)
        if words.first?.hasPrefix("/*") == true { return nil }
        switch (words.first, words.count) {
        case ("end", 1): return .end
        case ("else", 1): return .otherwise
        case ("if", 2): return .ifNotEmpty(try path(words[1], action))
        case (let name?, 1): return .value(try path(name, action))
        default: throw MailTemplateFault("{{\(action.prefix(60))}} is not supported")
        }
    }

    private static let names: Set<String> = [
        "ConfirmationURL", "Token", "TokenHash", "SiteURL", "RedirectTo", "Email", "NewEmail", "SendingTo", "Data",
        "OldEmail", "Phone", "OldPhone", "Provider", "FactorType",
    ]

    private static func path(_ word: Substring, _ action: Substring) throws(MailTemplateFault) -> [String] {
        guard word.wholeMatch(of: #/\.[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*/#) != nil else {
            throw MailTemplateFault("{{\(action.prefix(60))}} is not supported")
        }
        let path = word.split(separator: ".").map(String.init)
        guard let first = path.first, names.contains(first), path.count == 1 || first == "Data" else {
            throw MailTemplateFault("\(word.prefix(60)) is none of the values of a mail")
        }
        return path
    }

    private static func parts(
        _ tokens: inout ArraySlice<Token>,
        depth: Int
    ) throws(MailTemplateFault) -> [Part] {
        guard depth <= maximumDepth else { throw MailTemplateFault("ifs are nested too deeply") }
        var parts: [Part] = []
        while let token = tokens.first {
            switch token {
            case .end, .otherwise: return parts
            case .text(let text): parts.append(.text(text))
            case .value(let path): parts.append(.value(path))
            case .ifNotEmpty(let path):
                tokens.removeFirst()
                let then = try Self.parts(&tokens, depth: depth + 1)
                var otherwise: [Part] = []
                if case .otherwise = tokens.first {
                    tokens.removeFirst()
                    otherwise = try Self.parts(&tokens, depth: depth + 1)
                }
                guard case .end = tokens.first else { throw MailTemplateFault("an if has no end") }
                parts.append(.condition(path, then: then, otherwise: otherwise))
            }
            tokens.removeFirst()
        }
        return parts
    }
}

/// Why a template cannot be used.
package struct MailTemplateFault: Error, Hashable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
