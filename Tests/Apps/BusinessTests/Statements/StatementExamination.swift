/// Whether an engine that distributes the tenants' tables by tenant would take a statement (Citus: "SQL Support and
/// Workarounds").
///
/// It reads SQL as this repository writes it, not any SQL: a name in place of an alias that it does not find counts as
/// a fault, never as none.
struct StatementExamination {
    /// The tables with a tenant.
    let tables: Set<String>

    /// What is wrong with it, in words.
    func faults(_ statement: String) -> [String] {
        let text = Self.normal(statement)
        var faults: [String] = []
        for piece in text.split(separator: /\binsert into\b/.simple, omittingEmptySubsequences: false).dropFirst() {
            let insert = String(piece)
            // The server's own tables are not distributed.
            if insert.prefixMatch(of: /\s*swiftlet\./) != nil { continue }
            if text.hasPrefix("with ") || insert.contains(/\bselect\b/.simple) {
                faults.append("an INSERT has a subquery")
            }
            let table = insert.prefixMatch(of: /\s*(\w+)/).map { String($0.1) } ?? ""
            if tables.contains(table), !Self.insertsTenant(insert) { faults.append("\(table) gets no bound tenant") }
        }
        if let returned = text.split(separator: /\breturning\b/.simple, omittingEmptySubsequences: false).dropFirst()
            .first, returned.contains("(")
        {
            faults.append("RETURNING has more than columns")
        }
        if text.contains(/\btenant_id\s*::/.simple) { faults.append("a tenant is cast") }
        return faults + unbound(text)
    }

    /// `INSERT INTO t (a, tenant_id) VALUES ($1, $2)`: the tenant's value is a parameter.
    private static func insertsTenant(_ insert: String) -> Bool {
        guard let parts = insert.firstMatch(of: /\(([^)]*)\)\s*values\s*\((.*)\)/) else { return false }
        let columns = parts.1.split(separator: ",").map { $0.trimmed }
        guard let position = columns.firstIndex(of: "tenant_id") else { return false }
        let values = Self.items(String(parts.2))
        return values.indices.contains(position) && values[position].wholeMatch(of: /\$\d+/) != nil
    }

    /// The items of a list, whose commas within parentheses do not count.
    private static func items(_ list: String) -> [String] {
        var items = [""]
        var depth = 0
        for character in list {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth < 0 { break }
            if character == ",", depth == 0 { items.append("") } else { items[items.count - 1].append(character) }
        }
        return items.map { $0.trimmed }
    }

    private static let noAlias: Set<String> = [
        "where", "set", "on", "left", "join", "order", "group", "limit", "for", "cross", "values", "returning", "union",
    ]

    /// The tables that nothing ties to one tenant: each mention needs `alias.tenant_id = $1`, or an equation with the
    /// tenant of another one.
    private func unbound(_ text: String) -> [String] {
        var mentions: [String: [String]] = [:]
        for match in text.matches(of: /\b(from|join|update|,)\s+(\w+)(?:\s+as)?(?:\s+(\w+))?/.simple) {
            let table = String(match.2)
            guard tables.contains(table) else { continue }
            let alias = match.3.map(String.init).flatMap { Self.noAlias.contains($0) ? nil : $0 } ?? ""
            mentions[alias, default: []].append(table)
        }
        return mentions.compactMap { alias, tables in
            let ties = text.matches(of: /(?:(\w+)\.)?\btenant_id\s*=\s*(\$\d+|(\w+)\.tenant_id)/.simple).count { tie in
                tie.1.map(String.init) ?? "" == alias && tie.3.map(String.init) != alias
            }
            return ties >= tables.count ? nil : "\(Set(tables).sorted().joined(separator: ", ")) has no bound tenant"
        }
    }

    /// In lower case, without quotes, schemas, comments and superfluous blanks.
    private static func normal(_ statement: String) -> String {
        var text = statement.replacing(/--[^\n]*/, with: "").replacing(/'[^']*'/, with: "''").lowercased()
        text = text.replacing("\"", with: "").replacing(/\bpublic\./.simple, with: "")
        return text.replacing(/\s+/, with: " ").trimmed
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension Regex {
    /// A point ends a word: `t.tenant_id` has two (by default, Unicode's rules join them).
    fileprivate var simple: Regex<RegexOutput> { wordBoundaryKind(.simple) }
}
