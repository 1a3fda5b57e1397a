import SwiftletPostgres

/// The forms of the columns of relations, read from the catalog when a type is first met.
struct TypeForms {
    private var rows: [UInt32: ColumnForm.TypeRow] = [:]
    private var known: [ReplicatedRelation: [ColumnForm]] = [:]

    mutating func forms(
        of relation: ReplicatedRelation,
        _ database: Database
    ) async throws(PostgresError) -> [ColumnForm] {
        if let forms = known[relation] { return forms }
        var missing = Set(relation.columns.map(\.type)).subtracting(rows.keys)
        // An array of a domain over an array …: each turn adds what the last one has met.
        for _ in 0..<8 where !missing.isEmpty {
            let found = try await read(missing, database)
            rows.merge(found) { $1 }
            missing = Set(found.values.flatMap { [$0.base, $0.element] }).subtracting(rows.keys).subtracting([0])
        }
        let forms = relation.columns.map { ColumnForm.make($0.type, rows) }
        if known.count > 1000 { known = [:] }
        known[relation] = forms
        return forms
    }

    private func read(
        _ types: Set<UInt32>,
        _ database: Database
    ) async throws(PostgresError) -> [UInt32: ColumnForm.TypeRow] {
        let numbers = types.map { Int($0) }
        let found = try await database.query(
            """
            SELECT oid, typname, CASE typtype WHEN 'd' THEN typbasetype ELSE 0 END AS base,
                CASE WHEN typcategory = 'A' THEN typelem ELSE 0 END AS element, ascii(typdelim::text) AS delimiter
            FROM pg_catalog.pg_type WHERE oid = ANY(\(numbers)::oid[])
            """
        )
        var rows: [UInt32: ColumnForm.TypeRow] = [:]
        // A type that is gone, as its table is, reads as text.
        for type in types { rows[type] = ColumnForm.TypeRow(name: "", base: 0, element: 0, delimiter: 0x2C) }
        for row in found {
            guard let oid = row["oid"].flatMap({ UInt32($0) }) else { continue }
            rows[oid] = ColumnForm.TypeRow(
                name: row["typname"] ?? "",
                base: row["base"].flatMap { UInt32($0) } ?? 0,
                element: row["element"].flatMap { UInt32($0) } ?? 0,
                delimiter: row["delimiter"].flatMap { UInt8($0) } ?? 0x2C
            )
        }
        return rows
    }
}
