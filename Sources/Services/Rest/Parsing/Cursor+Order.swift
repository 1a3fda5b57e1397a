/// The grammars of `order`, and of lists of names.
extension Cursor {
    mutating func orderTerms() throws(ParseFault) -> [OrderTerm] {
        var terms: [OrderTerm] = []
        var expected = ""
        repeat { terms.append(try orderTerm(&expected)) } while takeSpaced(",")
        guard isAtEnd else { throw fault("expecting \(expected)\",\" or end of input", quote: "'") }
        return terms
    }

    /// `expected` is what could have followed beside another term.
    private mutating func orderTerm(_ expected: inout String) throws(ParseFault) -> OrderTerm {
        var term = OrderTerm(field: try field())
        expected = "delimiter (.), "
        if term.field.steps.isEmpty, take("(") {
            term.relation = term.field.name
            term.field = try field()
            try expect(")")
        }
        guard take(".") else { return term }
        switch try word(of: ["asc", "desc", "nullsfirst", "nullslast"]) {
        case 0: term.isDescending = false
        case 1: term.isDescending = true
        case let word:
            term.nullsFirst = word == 2
            expected = ""
            return term
        }
        guard take(".") else { return term }
        term.nullsFirst = try word(of: ["nullsfirst", "nullslast"]) == 0
        expected = ""
        return term
    }

    /// The place of the word that follows. A fault is where the text leaves the first of them.
    private mutating func word(of words: [StaticString]) throws(ParseFault) -> Int {
        for (place, word) in words.enumerated() where take(word) { return place }
        var fault = fault("")
        let common = zip(rest, words[0].description).prefix { $0 == $1 }.count
        let found = rest.dropFirst(common).first.map { "unexpected \"\($0)\"" } ?? "unexpected end of input"
        let names = words.map { "\"\($0)\"" }
        let last = names.last ?? ""
        fault.details = "\(found) expecting \(names.dropLast().joined(separator: ", ")) or \(last)"
        throw fault
    }

    /// Names with commas between them.
    mutating func names() throws(ParseFault) -> [String] {
        var names: [String] = []
        repeat { names.append(try name()) } while takeSpaced(",")
        try expectEnd()
        return names
    }
}
