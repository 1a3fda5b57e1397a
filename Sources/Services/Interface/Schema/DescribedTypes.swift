import SwiftletJSON

/// The types of the catalog by their numbers.
struct DescribedTypes {
    private var rows: [String: [String?]] = [:]
    private var order: [String] = []

    /// The results of ``DescriptionQueries/types``.
    init(_ rows: [[String?]]) {
        for row in rows {
            guard let oid = row[0] else { continue }
            self.rows[oid] = row
            order.append(oid)
        }
    }

    /// Domains are what they are made of. A row of a table is JSON, as clients see it.
    func type(_ oid: String) -> ValueType {
        guard let row = rows[oid], let name = row[1] else { return .base("text") }
        if let base = row[4], base != "0" { return type(base) }
        if let element = row[5], element != "0" { return .array(type(element)) }
        switch row[3] {
        case "e": return .enumeration(name)
        case "c": return row[6] == "c" && row[7] == "t" ? .composite(name) : .base("jsonb")
        default: return .base(name)
        }
    }

    /// Those of the schema itself, and others that a column has. Of two of one name, the schema's own counts.
    func enumerations(usedBy columns: [[ColumnDescription]]) -> [EnumerationDescription] {
        let used = columns.joined().reduce(into: Set<String>()) { $0.formUnion($1.type.names) }
        var found: [String: EnumerationDescription] = [:]
        for oid in order {
            guard let row = rows[oid], row[3] == "e", let name = row[1], row[7] == "t" || used.contains(name),
                found[name] == nil, let labels = row[8].flatMap({ try? JSONParser.parse(Array($0.utf8)) })?.array
            else { continue }
            found[name] = EnumerationDescription(name: name, labels: labels.compactMap(\.string))
        }
        return found.values.sorted { $0.name < $1.name }
    }
}
