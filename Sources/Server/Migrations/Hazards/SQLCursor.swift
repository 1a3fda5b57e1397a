/// Reads the tokens of one statement from left to right.
struct SQLCursor {
    private let tokens: [SQLToken]
    private(set) var index = 0

    init(_ tokens: [SQLToken]) { self.tokens = tokens }

    var next: SQLToken? { index < tokens.count ? tokens[index] : nil }

    var rest: [SQLToken] { Array(tokens[index...]) }

    /// Passes these words if they come next.
    mutating func pass(_ words: String...) -> Bool {
        guard tokens[index...].prefix(words.count).map(\.word) == words else { return false }
        index += words.count
        return true
    }

    /// Passes whichever of these words come next.
    mutating func skip(_ words: Set<String>) {
        while let word = next?.word, words.contains(word) { index += 1 }
    }

    mutating func skipToken() { index = min(index + 1, tokens.count) }

    /// Passes `IF EXISTS`, `IF NOT EXISTS` and `ONLY`.
    mutating func skipCondition() { skip(["if", "not", "exists", "only"]) }

    /// Passes a name, and the schema before it. `public` is left out, as it is by most who write it.
    mutating func name() -> String? {
        guard let first = next?.name else { return nil }
        index += 1
        var name = first
        while next?.isSign(".") == true, index + 1 < tokens.count, let part = tokens[index + 1].name {
            name = name == "public" ? part : "\(name).\(part)"
            index += 2
        }
        return name
    }

    /// Passes an opening parenthesis and all up to the closing one.
    mutating func skipParentheses() {
        guard next?.isSign("(") == true else { return }
        var depth = 0
        while let token = next {
            index += 1
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if depth == 0 { return }
        }
    }

    /// Passes names with commas between, each with the list of arguments behind it.
    mutating func names() -> [String] {
        var names: [String] = []
        while let name = name() {
            names.append(name)
            skipParentheses()
            guard next?.isSign(",") == true else { break }
            index += 1
        }
        return names
    }

    /// What is left, cut at the commas that are in no parentheses.
    var parts: [[SQLToken]] {
        var parts: [[SQLToken]] = [[]]
        var depth = 0
        for token in tokens[index...] {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if token.isSign(","), depth == 0 { parts.append([]) } else { parts[parts.count - 1].append(token) }
        }
        return parts.filter { !$0.isEmpty }
    }
}
