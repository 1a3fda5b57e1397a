import SwiftletJSON

/// The columns that a condition reads. An image may lack one: a long value that did not change is not in the stream
/// (PostgreSQL manual, 55.9), nor is a generated one. Taken for NULL, it would show rows to those who may not see them.
struct ReadColumns: Sendable {
    private let names: Set<String>

    /// None.
    init() { names = [] }

    init(_ table: TableFacts, _ condition: String) {
        let words = Self.words(condition)
        let columns = table.columns.map(\.name)
        names = words.contains("\(table.name).*") ? Set(columns) : words.intersection(columns)
    }

    func areIn(_ image: JSONObject) -> Bool { names.allSatisfy { image[$0] != nil } }

    /// Names as `pg_get_expr` writes them, with and without quotes, and those before `.*`. Types are none.
    private static func words(_ text: String) -> Set<String> {
        var words: Set<String> = []
        var rest = Substring(text)
        var isType = false
        while let first = rest.first {
            switch first {
            case "'":
                rest = rest.dropFirst().drop { $0 != "'" }.dropFirst()
            case "\"":
                let name = quoted(&rest)
                words.insert(rest.hasPrefix(".*") ? name + ".*" : name)
            case _ where first.isLetter || first == "_":
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
                rest = rest[name.endIndex...]
                if !isType { words.insert(rest.hasPrefix(".*") ? name + ".*" : String(name)) }
            default:
                isType = rest.hasPrefix("::")
                rest = rest.dropFirst(isType ? 2 : 1)
                continue
            }
            isType = false
        }
        return words
    }

    /// Two quotes are one of the name.
    private static func quoted(_ rest: inout Substring) -> String {
        var name = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            guard character == "\"" else {
                name.append(character)
                continue
            }
            guard rest.first == "\"" else { break }
            name.append("\"")
            rest = rest.dropFirst()
        }
        return name
    }
}
