/// The statements of a script, each as its tokens.
enum SQLStatementList {
    /// Also those in the bodies of `DO`, which run with the script; not those that such a body makes of strings.
    static func statements(_ bytes: [UInt8]) -> [[SQLToken]] {
        split(SQLTokenizer.tokens(bytes)).flatMap { statement -> [[SQLToken]] in
            guard statement.first?.word == "do" else { return [statement] }
            return statement.flatMap { token -> [[SQLToken]] in
                guard case .string(let body?) = token.kind else { return [] }
                return split(SQLTokenizer.tokens(bytes, in: body)).map(withoutBlock)
            }
        }
    }

    /// At each semicolon but those within `BEGIN ATOMIC … END` and parentheses.
    private static func split(_ tokens: [SQLToken]) -> [[SQLToken]] {
        var statements: [[SQLToken]] = []
        var current: [SQLToken] = []
        var (parentheses, blocks) = (0, 0)
        for token in tokens {
            switch token.word {
            case "atomic" where current.last?.word == "begin": blocks = 1
            case "case" where blocks > 0: blocks += 1
            case "end" where blocks > 0: blocks -= 1
            default: break
            }
            if token.isSign("(") { parentheses += 1 }
            if token.isSign(")") { parentheses = max(0, parentheses - 1) }
            if token.isSign(";"), parentheses == 0, blocks == 0 {
                if !current.isEmpty { statements.append(current) }
                current = []
            } else {
                current.append(token)
            }
        }
        return current.isEmpty ? statements : statements + [current]
    }

    /// Without what opens a block of PL/pgSQL before the statement: `BEGIN`, `IF … THEN`, `LOOP`.
    private static func withoutBlock(_ tokens: [SQLToken]) -> [SQLToken] {
        let openings: Set = ["begin", "then", "else", "loop"]
        let start = tokens.lastIndex { openings.contains($0.word ?? "") }
        return start.map { Array(tokens[($0 + 1)...]) } ?? tokens
    }
}
