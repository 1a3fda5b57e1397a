import SwiftletPostgres

/// The types of the catalog as the clients of one schema see them.
struct DescribedTypes {
    let schema: String
    let types: TypeCatalog

    /// Domains are what they are made of. A row of a table is JSON, as clients see it.
    func type(_ oid: UInt32) -> ValueType {
        guard let entry = types.entries[oid] else { return .base("text") }
        if entry.kind == .domain { return type(entry.base) }
        if entry.element != 0 { return .array(type(entry.element)) }
        return switch entry.kind {
        case .enumeration: .enumeration(entry.name.name)
        case .composite where entry.name.schema == schema: .composite(entry.name.name)
        case .composite, .row: .base("jsonb")
        default: .base(entry.name.name)
        }
    }

    /// Those of the schema itself, and others that a column has. Of two of one name, the schema's own counts.
    func enumerations(usedBy columns: [[ColumnDescription]]) -> [EnumerationDescription] {
        let used = columns.joined().reduce(into: Set<String>()) { $0.formUnion($1.type.names) }
        var found: [String: TypeCatalog.Entry] = [:]
        for entry in types.entries.values where entry.kind == .enumeration {
            let (schema, name) = (entry.name.schema, entry.name.name)
            guard schema == self.schema || used.contains(name) else { continue }
            if let other = found[name], other.name.schema == self.schema || other.name < entry.name { continue }
            found[name] = entry
        }
        return found.map { EnumerationDescription(name: $0, labels: $1.labels) }.sorted { $0.name < $1.name }
    }
}
