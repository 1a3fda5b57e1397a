import SwiftletHTTP

/// Reads the query string of a request to a relation or a function.
struct QueryParser {
    /// Whether the path names a function that is called by GET: what is no filter is an argument of it.
    let takesArguments: Bool
    private var query = RestQuery()
    /// What may be said once.
    private var seen: Set<String> = []

    /// Throws ``RestError`` `PGRST100` with the place of what cannot be read.
    static func parse(_ query: Query, takesArguments: Bool = false) throws(RestError) -> RestQuery {
        var parser = QueryParser(takesArguments: takesArguments)
        for (name, value) in query { try parser.add(name, value) }
        return parser.query
    }

    /// With `Range` on top of the query's own limits.
    static func parse(_ query: Query, range: (offset: Int, limit: Int?)?) throws(RestError) -> RestQuery {
        var query = try parse(query)
        if let range {
            query.root.offset = max(query.root.offset ?? 0, range.offset)
            if let limit = range.limit { query.root.limit = min(query.root.limit ?? limit, limit) }
        }
        return query
    }

    private init(takesArguments: Bool) {
        self.takesArguments = takesArguments
    }

    private mutating func add(_ name: String, _ value: String) throws(RestError) {
        switch name {
        case "select", "columns", "on_conflict":
            // As in PostgREST: the first counts.
            guard seen.insert(name).inserted else { return }
        default: break
        }
        switch name {
        case "select":
            let items = try read("select parameter", value) { (cursor) throws(ParseFault) in
                let items = try cursor.selectItems()
                // As in conditions: it leaves nothing out.
                while cursor.take(")") {}
                try cursor.expectEnd()
                return items
            }
            query.select = items.isEmpty ? [.all] : items
        case "columns":
            query.columns = try read("columns parameter", value) { (cursor) throws(ParseFault) in try cursor.names() }
        case "on_conflict":
            query.conflictColumns = try read("on_conflict parameter", value) { (cursor) throws(ParseFault) in
                try cursor.names()
            }
        // Which region should run it is a question for hosts of functions.
        case "forceFunctionRegion", "apikey": break
        default: try addRestriction(name, value)
        }
    }

    private mutating func addRestriction(_ name: String, _ value: String) throws(RestError) {
        let (words, lastIsQuoted) = Self.words(name)
        guard let last = words.last else { return }
        // A column between quotes is a column, whatever its name means without them.
        if lastIsQuoted { return try addFilter(name, value) }
        var path = Array(words.dropLast())
        switch last {
        case "order":
            let order = try read("order", value) { (cursor) throws(ParseFault) in try cursor.orderTerms() }
            if seen.insert(name).inserted { change(path) { $0.order = order } }
        case "limit":
            let limit = try number(value, name)
            change(path) { $0.limit = limit }
        case "offset":
            // As in PostgreSQL's own words: nothing is left out before the first row.
            let offset = value.contains("-") ? 0 : try number(value, name)
            change(path) { $0.offset = offset }
        case "and", "or":
            let isNegated = path.last == "not"
            if isNegated { path.removeLast() }
            // The place is counted from the word on, as PostgREST does.
            let word = (isNegated ? "not." : "") + last
            let conditions = try read("logic tree", value, startingBehind: word.count) { (cursor) throws(ParseFault) in
                let conditions = try cursor.conditions()
                // One parenthesis too many is a common slip, and leaves nothing out.
                while cursor.take(")") {}
                try cursor.expectEnd()
                return conditions
            }
            let condition =
                last == "or"
                ? LogicTree.any(conditions, isNegated: isNegated) : .all(conditions, isNegated: isNegated)
            change(path) { $0.conditions.append(condition) }
        default: try addFilter(name, value)
        }
    }

    private mutating func addFilter(_ name: String, _ value: String) throws(RestError) {
        if takesArguments, !Self.looksLikeFilter(value) {
            query.arguments.append(RestQuery.Argument(name: name, value: value))
            return
        }
        let (path, field) = try read("tree path", name) { (cursor) throws(ParseFault) in
            var names = [try cursor.name()]
            while cursor.take(".") { names.append(try cursor.name()) }
            let steps = try cursor.steps()
            try cursor.expectEnd()
            return (Array(names.dropLast()), FieldPath(name: names[names.count - 1], steps: steps))
        }
        let filter = try read("filter", value) { (cursor) throws(ParseFault) in
            try cursor.filter(on: field, upTo: .text)
        }
        change(path) { $0.conditions.append(.filter(filter)) }
    }

    private mutating func change(_ path: [String], _ change: (inout Restriction) -> Void) {
        if path.isEmpty { change(&query.root) } else { change(&query.embedded[path, default: Restriction()]) }
    }

    /// The names between dots, where a dot between quotes separates nothing.
    private static func words(_ name: String) -> (words: [String], lastIsQuoted: Bool) {
        guard name.contains("\"") else { return (name.split(separator: ".").map(String.init), false) }
        var cursor = Cursor(name)
        var words: [String] = []
        var isQuoted = false
        repeat {
            isQuoted = cursor.byte == UInt8(ascii: "\"")
            guard let word = try? cursor.name() else { return ([name], false) }
            words.append(word)
        } while cursor.take(".")
        return cursor.isAtEnd ? (words, isQuoted) : ([name], false)
    }

    private static func looksLikeFilter(_ value: String) -> Bool {
        var cursor = Cursor(value)
        let field = FieldPath(name: "")
        do throws(ParseFault) {
            _ = try cursor.filter(on: field, upTo: .text)
            return true
        } catch {
            return false
        }
    }

    /// nil for what is no number, such as `undefined`: as in PostgREST it limits nothing.
    private func number(_ text: String, _ name: String) throws(RestError) -> Int? {
        let text = text.split(separator: " ", omittingEmptySubsequences: true)
        guard text.count == 1, let word = text.first else { return nil }
        let digits = word.utf8.drop { $0 == UInt8(ascii: "-") }
        let signs = word.utf8.count - digits.count
        guard signs <= 1, !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        guard signs == 0 || digits.allSatisfy({ $0 == UInt8(ascii: "0") }) else { throw .negativeRange(name) }
        // More rows than anyone has are all of them.
        return digits.drop { $0 == UInt8(ascii: "0") }.count > 15 ? Int(Int32.max) : Int(word)
    }

    private func read<Value>(
        _ what: String,
        _ text: String,
        startingBehind prefix: Int = 0,
        _ body: (inout Cursor) throws(ParseFault) -> Value
    ) throws(RestError) -> Value {
        var cursor = Cursor(text)
        do throws(ParseFault) {
            return try body(&cursor)
        } catch {
            throw .unreadable("\(what) (\(text))", column: prefix + error.column, error.details)
        }
    }
}
