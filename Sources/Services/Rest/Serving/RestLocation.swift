import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Where rows are.
enum RestLocation {
    /// Of a read: its query with the parameters in the order of their names, so that equal requests have one location.
    static func of(_ relation: QualifiedName, query: String) -> String {
        if query.isEmpty { return "/\(relation.name)" }
        guard query.utf8.contains(UInt8(ascii: "&")) else { return "/\(relation.name)?\(query)" }
        let pairs = query.split(separator: "&").map { (name: $0.prefix { $0 != "=" }, pair: $0) }
        let sorted = pairs.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return "/\(relation.name)?" + sorted.map(\.element.pair).joined(separator: "&")
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
