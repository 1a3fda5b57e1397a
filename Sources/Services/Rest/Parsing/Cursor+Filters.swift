/// The grammar of filters, `not.gte.18`, and of trees of them, `(a.eq.1,or(b.is.null,c.in.(1,2)))`.
extension Cursor {
    /// Where a value ends.
    enum Ending {
        /// At the end of the text.
        case text
        /// At a comma or a closing parenthesis, so that a value that holds one has to be quoted.
        case item
    }

    /// What follows the column: `not.` perhaps, an operator, a value.
    mutating func filter(on field: FieldPath, upTo ending: Ending) throws(ParseFault) -> ColumnFilter {
        var isNegated = false
        let start = index
        while take("not.") { isNegated.toggle() }
        guard let test = try test(upTo: ending) else {
            if index == start { throw fault("expecting \"not\" or operator (eq, gt, ...)") }
            throw fault("expecting operator (eq, gt, ...)")
        }
        return ColumnFilter(field: field, isNegated: isNegated, test: test)
    }

    private mutating func test(upTo ending: Ending) throws(ParseFault) -> ColumnFilter.Test? {
        let start = index
        while let byte, byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") { advance() }
        let word = text(from: start)
        let argument = try parenthesised()
        guard byte == UInt8(ascii: ".") else {
            goBack(to: start)
            return nil
        }
        advance()
        if let comparison = Comparison(rawValue: word) {
            return try compare(comparison, argument, start, upTo: ending)
        }
        if let search = SearchFunction(rawValue: word) {
            return .search(search, language: argument, value(upTo: ending))
        }
        if argument == nil {
            switch word {
            case "in": return .isIn(try list())
            case "is": return .is(try isWord(upTo: ending))
            case "isdistinct": return .isDistinct(value(upTo: ending))
            default: break
            }
        }
        goBack(to: start)
        return nil
    }

    private mutating func compare(
        _ comparison: Comparison,
        _ argument: String?,
        _ start: Int,
        upTo ending: Ending
    ) throws(ParseFault) -> ColumnFilter.Test? {
        guard let argument else { return .compare(comparison, nil, value(upTo: ending)) }
        guard comparison.isQuantifiable, let quantifier = ColumnFilter.Quantifier(rawValue: argument) else {
            goBack(to: start)
            return nil
        }
        return .compare(comparison, quantifier, value(upTo: ending))
    }

    /// The word between parentheses directly behind an operator.
    private mutating func parenthesised() throws(ParseFault) -> String? {
        guard byte == UInt8(ascii: "(") else { return nil }
        advance()
        let start = index
        while let byte, byte != UInt8(ascii: ")") { advance() }
        let word = text(from: start)
        try expect(")")
        return word
    }

    private mutating func isWord(upTo ending: Ending) throws(ParseFault) -> ColumnFilter.Word {
        let start = index
        let text = value(upTo: ending).lowercased()
        guard let word = ColumnFilter.Word(rawValue: text) else {
            goBack(to: start)
            throw fault("expecting isVal: (null, not_null, true, false, unknown)")
        }
        return word
    }

    private mutating func value(upTo ending: Ending) -> String {
        guard ending == .item else { return takeRest() }
        if byte == UInt8(ascii: "\""), let text = quotedItem() { return text }
        // An array's commas belong to it.
        if byte == UInt8(ascii: "{"), !hasLooseBrace, let text = braced() { return text }
        return unquotedItem()
    }

    /// A quoted text, if nothing of the item follows it.
    private mutating func quotedItem() -> String? {
        let start = index
        guard let text = try? quoted() else {
            goBack(to: start)
            return nil
        }
        if isAtEnd || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ")") { return text }
        goBack(to: start)
        return nil
    }

    private mutating func braced() -> String? {
        let start = index
        var isQuoted = false
        while let byte {
            advance()
            if byte == UInt8(ascii: "\\"), !isAtEnd {
                advance()
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: "}"), !isQuoted {
                let isEnd = isAtEnd || self.byte == UInt8(ascii: ",") || self.byte == UInt8(ascii: ")")
                if isEnd { return text(from: start) }
            }
        }
        hasLooseBrace = true
        goBack(to: start)
        return nil
    }

    private mutating func unquotedItem() -> String {
        let start = index
        while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: ")") { advance() }
        return text(from: start)
    }

    /// `(1,"a,b",c)`; nothing between the parentheses is an empty list.
    private mutating func list() throws(ParseFault) -> [String] {
        guard takeSpaced("(") else { throw fault("expecting \"(\"") }
        var values: [String] = []
        if take(")") { return values }
        repeat { values.append(value(upTo: .item)) } while takeSpaced(",")
        try expect(")")
        return values
    }

    /// The conditions of `and` or `or`, in parentheses.
    mutating func conditions() throws(ParseFault) -> [LogicTree] {
        guard takeSpaced("(") else { throw fault("expecting \"(\"") }
        try enter()
        var conditions: [LogicTree] = []
        repeat { conditions.append(try condition()) } while takeSpaced(",")
        leave()
        skipSpaces()
        try expect(")")
        return conditions
    }

    private mutating func condition() throws(ParseFault) -> LogicTree {
        let start = index
        var isNegated = false
        while take("not.") { isNegated.toggle() }
        for (word, isAny) in [("and", false), ("or", true)] as [(StaticString, Bool)] {
            let place = index
            guard take(word) else { continue }
            skipSpaces()
            guard byte == UInt8(ascii: "(") else {
                goBack(to: place)
                continue
            }
            let conditions = try conditions()
            return isAny ? .any(conditions, isNegated: isNegated) : .all(conditions, isNegated: isNegated)
        }
        let behindNegation = index
        goBack(to: start)
        guard let byte, byte != UInt8(ascii: ")") else {
            throw fault(
                "expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)"
            )
        }
        let field = try field()
        guard take(".") else {
            // A tree was meant: `ord(…)`.
            for word in ["and", "or"] where self.byte == UInt8(ascii: "(") && field.name.hasPrefix(word) {
                goBack(to: start + word.utf8.count)
                throw fault("expecting \"(\"")
            }
            throw fault("expecting \".\"")
        }
        let place = index
        do throws(ParseFault) {
            return .filter(try filter(on: field, upTo: .item))
        } catch {
            // As in `not.xor(…)`, unless a column is called so.
            guard isNegated, behindNegation == place, index == place else { throw error }
            throw fault("expecting logic operator (and, or)")
        }
    }
}
