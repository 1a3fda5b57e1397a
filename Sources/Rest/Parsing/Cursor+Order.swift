/// The grammars of `order`, and of lists of names.
extension Cursor {
    mutating func orderTerms() throws(ParseFault) -> [OrderTerm] {
        var terms: [OrderTerm] = []
        repeat { terms.append(try orderTerm()) } while takeSpaced(",")
        try expectEnd()
        return terms
    }

    private mutating func orderTerm() throws(ParseFault) -> OrderTerm {
        var term = OrderTerm(field: try field())
        if term.field.steps.isEmpty, take("(") {
            term.relation = term.field.name
            term.field = try field()
            try expect(")")
        }
        guard take(".") else { return term }
        if take("asc") {
            term.isDescending = false
        } else if take("desc") {
            term.isDescending = true
        } else {
            term.nullsFirst = try nulls()
            return term
        }
        if take(".") { term.nullsFirst = try nulls() }
        return term
    }

    private mutating func nulls() throws(ParseFault) -> Bool {
        if take("nullsfirst") { return true }
        if take("nullslast") { return false }
        throw fault("expecting asc, desc, nullsfirst or nullslast")
    }

    /// Names with commas between them.
    mutating func names() throws(ParseFault) -> [String] {
        var names: [String] = []
        repeat { names.append(try name()) } while takeSpaced(",")
        try expectEnd()
        return names
    }
}
