/// The grammar of `select`.
extension Cursor {
    /// Items up to the end or a closing parenthesis. None is `*` at the top, and nothing in an embedded relation.
    mutating func selectItems() throws(ParseFault) -> [SelectItem] {
        var items: [SelectItem] = []
        skipSpaces()
        if isAtEnd || byte == UInt8(ascii: ")") { return items }
        repeat { items.append(try selectItem()) } while takeSpaced(",")
        skipSpaces()
        return items
    }

    private mutating func selectItem() throws(ParseFault) -> SelectItem {
        if take("...") {
            var embed = try embed(alias: nil, relation: name())
            embed.isSpread = true
            return .embed(embed)
        }
        if take("*") { return .all }
        if let column = try rowCount(alias: nil) { return .column(column) }
        let start = index
        var name = try name()
        var alias: String?
        if byte == UInt8(ascii: ":"), byte(at: 1) != UInt8(ascii: ":") {
            advance()
            alias = name
            if let column = try rowCount(alias: alias) { return .column(column) }
            if take("...") { throw fault("expecting field name: a spread has no alias") }
            name = try self.name()
        }
        if byte == UInt8(ascii: "!") || byte == UInt8(ascii: "(") {
            return .embed(try embed(alias: alias, relation: name))
        }
        guard index > start else { throw fault("expecting field name") }
        return .column(try column(alias: alias, name))
    }

    /// `count()`, which counts rows.
    private mutating func rowCount(alias: String?) throws(ParseFault) -> ColumnSelection? {
        guard take("count()") else { return nil }
        return ColumnSelection(alias: alias, aggregate: .count, aggregateCast: try cast())
    }

    private mutating func column(alias: String?, _ name: String) throws(ParseFault) -> ColumnSelection {
        var column = ColumnSelection(field: FieldPath(name: name, steps: try steps()), alias: alias)
        column.cast = try cast()
        if byte == UInt8(ascii: ".") {
            advance()
            guard let aggregate = Aggregate.allCases.first(where: { starts(with: $0) }) else {
                throw fault("expecting an aggregate function: sum, avg, count, max or min")
            }
            for _ in aggregate.rawValue.utf8 { advance() }
            try expect("()")
            column.aggregate = aggregate
            column.aggregateCast = try cast()
        }
        return column
    }

    private func starts(with aggregate: Aggregate) -> Bool {
        bytes[index...].starts(with: aggregate.rawValue.utf8)
    }

    /// `::type`, where the type is a name, perhaps with brackets behind it.
    private mutating func cast() throws(ParseFault) -> String? {
        guard take("::") else { return nil }
        let start = index
        var isDotted = false
        while let byte {
            // A dot belongs to the type's name unless an aggregate follows.
            if byte == UInt8(ascii: ".") {
                if isDotted || Aggregate.allCases.contains(where: isNext) { break }
                isDotted = true
            } else if !Self.isTypeByte(byte) {
                break
            }
            advance()
        }
        let type = text(from: start).trimmingSpaces()
        guard !type.isEmpty else { throw fault("expecting a type") }
        return type
    }

    private func isNext(_ aggregate: Aggregate) -> Bool {
        bytes[index...].dropFirst().starts(with: (aggregate.rawValue + "()").utf8)
    }

    private static func isTypeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: " "), UInt8(ascii: "["),
            UInt8(ascii: "]"), 0x80...:
            true
        default: false
        }
    }

    /// What follows the name of an embedded relation: hints, and the items in parentheses.
    private mutating func embed(alias: String?, relation: String) throws(ParseFault) -> EmbedSelection {
        var embed = EmbedSelection(relation: relation, alias: alias, items: [])
        while take("!") {
            let word = try name()
            switch word {
            case "inner": embed.isInner = true
            case "left": embed.isInner = false
            default:
                guard embed.hint == nil else { throw fault("expecting one hint") }
                embed.hint = word
            }
        }
        try expect("(")
        try enter()
        embed.items = try selectItems()
        leave()
        try expect(")")
        return embed
    }
}
