/// Reads a condition as `pg_get_expr` writes it where the search path has PostgreSQL's own names alone: there a bare name
/// of an operator, function or type is PostgreSQL's. Whatever is not known here is not read at all.
struct PolicyParser {
    private typealias Typed = (expression: PolicyExpression, type: PolicyType)

    private enum Token: Equatable {
        case word(String)
        case quoted(String)
        case literal(String)
        case number(String)
        case sign(String)
    }

    private let columns: [String: PolicyType]
    private let functions: Set<PolicyFunction>
    private var tokens: ArraySlice<Token>
    /// Within `(SELECT …)` names may be those of other rows.
    private var isSelected = false

    /// nil for what is not simple. `functions` are those of `auth` that are as they should be.
    static func parse(_ text: String, _ table: TableFacts, _ functions: Set<PolicyFunction>) -> PolicyExpression? {
        var columns: [String: PolicyType] = [:]
        for column in table.columns { columns[column.name] = column.policyType }
        guard text.utf8.count <= maximumBytes, let tokens = tokens(text) else { return nil }
        var parser = PolicyParser(columns: columns, functions: functions, tokens: tokens[...])
        guard let whole = parser.expression(depth: 0), parser.tokens.isEmpty, whole.type == .bool else { return nil }
        return whole.expression
    }

    private static let maximumBytes = 10_000
    private static let maximumDepth = 40

    private mutating func take(_ token: Token) -> Bool {
        guard tokens.first == token else { return false }
        tokens.removeFirst()
        return true
    }

    /// What stands between two parentheses.
    private mutating func expression(depth: Int) -> Typed? {
        guard depth < Self.maximumDepth else { return nil }
        if take(.word("NOT")) {
            guard let inner = primary(depth), inner.type == .bool else { return nil }
            return (.not(inner.expression), .bool)
        }
        guard let first = primary(depth) else { return nil }
        switch tokens.first {
        case .word("AND"): return chain("AND", first, depth).map { (.all($0), .bool) }
        case .word("OR"): return chain("OR", first, depth).map { (.any($0), .bool) }
        case .word("IS"):
            tokens.removeFirst()
            let isNegated = take(.word("NOT"))
            guard take(.word("NULL")), first.type != .claims else { return nil }
            return (isNegated ? .not(.isNull(first.expression)) : .isNull(first.expression), .bool)
        case .sign("="), .sign("<>"):
            let isNegated = tokens.removeFirst() == .sign("<>")
            guard let second = primary(depth), first.type.compares(with: second.type) else { return nil }
            let equal = PolicyExpression.equal(first.expression, second.expression)
            return (isNegated ? .not(equal) : equal, .bool)
        case .sign("->"), .sign("->>"):
            let isText = tokens.removeFirst() == .sign("->>")
            guard first.type == .claims, case .claim(let path) = first.expression,
                case .literal(let name)? = tokens.popFirst(),
                take(.sign("::")), take(.word("text"))
            else { return nil }
            return (.claim(path + [name]), isText ? .text : .claims)
        default: return first
        }
    }

    private mutating func chain(_ word: String, _ first: Typed, _ depth: Int) -> [PolicyExpression]? {
        guard first.type == .bool else { return nil }
        var parts = [first.expression]
        while take(.word(word)) {
            guard let next = primary(depth), next.type == .bool else { return nil }
            parts.append(next.expression)
        }
        return parts
    }

    private mutating func primary(_ depth: Int) -> Typed? {
        guard var typed = operand(depth) else { return nil }
        while take(.sign("::")) {
            guard case .word(var name)? = tokens.popFirst() else { return nil }
            if name == "character", take(.word("varying")) { name = "character varying" }
            // With a length it would cut.
            guard tokens.first != .sign("("), let type = PolicyType(name: name), let cast = Self.cast(typed, to: type)
            else { return nil }
            typed = cast
        }
        return typed
    }

    private mutating func operand(_ depth: Int) -> Typed? {
        switch tokens.popFirst() {
        case .sign("("):
            let typed = take(.word("SELECT")) ? selected(depth) : expression(depth: depth + 1)
            return take(.sign(")")) ? typed : nil
        case .literal(let text): return (.value(.text(text)), .text)
        case .number(let digits):
            guard let value = PolicyValue.text(digits).cast(to: .integer(32)) else { return nil }
            return (.value(value), .integer(32))
        case .word("true"): return (.value(.bool(true)), .bool)
        case .word("false"): return (.value(.bool(false)), .bool)
        case .word("auth") where tokens.first == .sign("."): return function()
        case .word(let name):
            // Keywords are in capitals; a column's name with any is quoted.
            return name.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ? nil : column(name)
        case .quoted(let name): return column(name)
        default: return nil
        }
    }

    private func column(_ name: String) -> Typed? {
        guard !isSelected, let type = columns[name] else { return nil }
        return (.column(name, type), type)
    }

    /// `( SELECT auth.uid() AS uid)`: one row, without a table.
    private mutating func selected(_ depth: Int) -> Typed? {
        guard !isSelected else { return nil }
        isSelected = true
        defer { isSelected = false }
        guard let typed = primary(depth + 1) else { return nil }
        if take(.word("AS")) {
            switch tokens.popFirst() {
            case .word, .quoted: break
            default: return nil
            }
        }
        return typed
    }

    private mutating func function() -> Typed? {
        guard take(.sign(".")), case .word(let name)? = tokens.popFirst(), take(.sign("(")), take(.sign(")")),
            let function = PolicyFunction(rawValue: name), functions.contains(function)
        else { return nil }
        switch function {
        case .uid: return (.cast(.claim(["sub"]), .uuid), .uuid)
        case .role: return (.claim(["role"]), .text)
        case .jwt: return (.claim([]), .claims)
        }
    }

    private static func cast(_ typed: Typed, to type: PolicyType) -> Typed? {
        switch (typed.type, type) {
        case (.text, _), (.uuid, .uuid), (.bool, .bool), (.uuid, .text), (.integer, .text), (.integer, .integer):
            (.cast(typed.expression, type), type)
        default: nil
        }
    }

    // MARK: - Tokens

    private static func tokens(_ text: String) -> [Token]? {
        var tokens: [Token] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"): rest.removeFirst()
            case UInt8(ascii: "'"):
                guard let content = enclosed(by: byte, &rest), !content.utf8.contains(UInt8(ascii: "\\")) else {
                    return nil
                }
                tokens.append(.literal(content))
            case UInt8(ascii: "\""):
                guard let content = enclosed(by: byte, &rest) else { return nil }
                tokens.append(.quoted(content))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                rest.removeFirst(digits.count)
                // A fraction, or an exponent.
                if let next = rest.first, isPartOfWord(next) || next == UInt8(ascii: ".") { return nil }
                tokens.append(.number(String(decoding: digits, as: UTF8.self)))
            case _ where isPartOfWord(byte):
                let word = rest.prefix(while: isPartOfWord)
                rest.removeFirst(word.count)
                // E'…', or a cast of another kind.
                if rest.first == UInt8(ascii: "'") { return nil }
                tokens.append(.word(String(decoding: word, as: UTF8.self)))
            default:
                guard
                    let sign = ["::", "->>", "->", "<>", "=", "(", ")", "."].first(where: { rest.starts(with: $0.utf8) }
                    )
                else { return nil }
                rest.removeFirst(sign.utf8.count)
                // A longer operator is another one.
                if ["->>", "->", "<>", "="].contains(sign), let next = rest.first, next != UInt8(ascii: " ") {
                    return nil
                }
                tokens.append(.sign(sign))
            }
        }
        return tokens
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Between two marks, of which a doubled one is content.
    private static func enclosed(by mark: UInt8, _ rest: inout ArraySlice<UInt8>) -> String? {
        rest.removeFirst()
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == mark {
                guard rest.first == mark else { return String(decoding: content, as: UTF8.self) }
                rest.removeFirst()
            }
            content.append(byte)
        }
        return nil
    }
}
