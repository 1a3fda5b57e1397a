import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Where rows are.
enum RestLocation {
    /// Of a read: its query with the parameters in the order of their names, so that equal requests have one location.
    static func of(_ relation: QualifiedName, query: String) -> String {
        if query.isEmpty { return "/\(relation.name)" }
        let pairs = query.utf8.split(separator: UInt8(ascii: "&"))
        let names = pairs.map { $0.prefix { $0 != UInt8(ascii: "=") } }
        guard zip(names, names.dropFirst()).contains(where: { $1.lexicographicallyPrecedes($0) }) else {
            return "/\(relation.name)?\(query)"
        }
        let order = pairs.indices.sorted { first, second in
            if names[first].elementsEqual(names[second]) { return first < second }
            return names[first].lexicographicallyPrecedes(names[second])
        }
        return "/\(relation.name)?" + order.map { Substring(pairs[$0]) }.joined(separator: "&")
    }

    /// Of the one new row, for `return=headers-only`.
    static func of(_ answer: RestTransaction.MainRow, in relation: Table) -> String? {
        guard answer.count == 1, let keys = answer.keys.flatMap({ try? JSONParser.parse(Array($0.utf8)).array }) else {
            return nil
        }
        let pairs = zip(relation.primaryKey, keys).map { name, value in
            if value.isNull { return "\(PercentCoding.encode(name))=is.null" }
            let text = value.string ?? value.description
            return "\(PercentCoding.encode(name))=eq.\(PercentCoding.encode(text))"
        }
        return "/\(PercentCoding.encode(relation.name))?\(pairs.joined(separator: "&"))"
    }
}
