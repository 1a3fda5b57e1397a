import SwiftletJSON
package import SwiftletPostgres

/// Reads a ``SchemaDescription`` from a live database.
package struct DescriptionReader {
    private let types: DescribedTypes
    private let schema: String

    /// Blocks. Throws if there is no such schema, and what PostgreSQL says.
    package static func read(
        _ schema: String,
        from connection: borrowing BlockingConnection
    ) throws -> SchemaDescription {
        guard try !connection.query(DescriptionQueries.schema, [schema]).isEmpty else {
            throw DescriptionError.noSchema(schema)
        }
        let types = DescribedTypes(try connection.query(DescriptionQueries.types, [schema]))
        return try DescriptionReader(types: types, schema: schema).read(connection)
    }

    private func read(_ connection: borrowing BlockingConnection) throws -> SchemaDescription {
        let columns = try connection.query(DescriptionQueries.columns, [schema])
        let keys = try connection.query(DescriptionQueries.keys, [schema])
        let foreignKeys = try connection.query(DescriptionQueries.foreignKeys, [schema])
        let checks = try connection.query(DescriptionQueries.checks, [schema])
        let routines = try connection.query(DescriptionQueries.routines, [schema])

        let words = Self.words(checks)
        let uniqueKeys = Dictionary(grouping: keys, by: { $0[0] ?? "" })
        let relationships = Dictionary(grouping: foreignKeys, by: { $0[0] ?? "" })
        var relations: [RelationDescription] = []
        var composites: [CompositeDescription] = []
        for rows in Self.runs(columns) {
            guard let first = rows.first, let name = first[0], let kind = first[1] else { continue }
            let described = rows.compactMap { column($0, isComposite: kind == "c", words[name] ?? [:]) }
            if kind == "c" {
                composites.append(CompositeDescription(name: name, columns: described))
                continue
            }
            let keys = uniqueKeys[name] ?? []
            // Bits by kind of statement, as in PostgreSQL's CmdType: 8 is INSERT, 4 is UPDATE.
            let changes = first[3].flatMap { Int($0) } ?? 0
            relations.append(
                RelationDescription(
                    name: name,
                    isView: kind == "v" || kind == "m",
                    comment: first[2],
                    columns: described,
                    primaryKey: keys.first { $0[1] == "t" }.map { Self.list($0[2]) } ?? [],
                    relationships: (relationships[name] ?? []).map { Self.relationship($0, keys) },
                    takesInserts: changes & 8 != 0,
                    takesUpdates: changes & 4 != 0
                )
            )
        }
        return SchemaDescription(
            name: schema,
            relations: relations,
            enumerations: types.enumerations(usedBy: relations.map(\.columns) + composites.map(\.columns)),
            composites: composites,
            routines: routines.map(routine)
        )
    }

    /// The rows of one relation follow each other.
    private static func runs(_ rows: [[String?]]) -> [[[String?]]] {
        rows.reduce(into: []) { runs, row in
            if let last = runs.last?.first, last[0] == row[0] {
                runs[runs.count - 1].append(row)
            } else {
                runs.append([row])
            }
        }
    }

    private func column(
        _ row: [String?],
        isComposite: Bool,
        _ words: [String: [String]]
    ) -> ColumnDescription? {
        guard let name = row[4] else { return nil }
        let type = types.type(row[5] ?? "")
        return ColumnDescription(
            name: name,
            type: type,
            isNullable: isComposite || row[6] != "t",
            hasDefault: row[7] == "t",
            isGenerated: row[8] == "t",
            words: type.isText ? words[name] ?? [] : [],
            comment: row[9]
        )
    }

    /// By table and column.
    private static func words(_ checks: [[String?]]) -> [String: [String: [String]]] {
        checks.reduce(into: [:]) { words, row in
            guard let table = row[0], let column = row[1], let definition = row[2],
                let list = CheckList(definition, column: column)
            else { return }
            words[table, default: [:]][column] = list.words
        }
    }

    private static func relationship(_ row: [String?], _ uniqueKeys: [[String?]]) -> RelationshipDescription {
        let columns = list(row[2])
        return RelationshipDescription(
            name: row[1] ?? "",
            columns: columns,
            isOneToOne: uniqueKeys.contains { Set(list($0[2])) == Set(columns) },
            referencedRelation: row[3] ?? "",
            referencedColumns: list(row[4])
        )
    }

    private func routine(_ row: [String?]) -> RoutineDescription {
        let names = Self.list(row[5])
        let modes = Self.list(row[6])
        var inputs: [(name: String, type: ValueType)] = []
        var outputs: [RoutineDescription.Argument] = []
        for (index, oid) in Self.list(row[7]).enumerated() {
            let name = index < names.count ? names[index] : ""
            let mode = index < modes.count ? modes[index] : "i"
            let type = types.type(oid)
            if mode == "i" || mode == "b" || mode == "v" { inputs.append((name, type)) }
            if mode == "o" || mode == "b" || mode == "t" {
                outputs.append(RoutineDescription.Argument(name: name, type: type, hasDefault: false))
            }
        }
        let firstDefault = inputs.count - (row[1].flatMap { Int($0) } ?? 0)
        let result: RoutineDescription.Result
        if let relation = row[4] {
            result = .rows(relation: relation)
        } else if outputs.count > 1 || row[2] == "t" && !outputs.isEmpty {
            result = .fields(outputs)
        } else {
            let type = types.type(row[3] ?? "")
            result = type == .base("void") ? .nothing : .value(type)
        }
        return RoutineDescription(
            name: row[0] ?? "",
            arguments: inputs.enumerated().map {
                RoutineDescription.Argument(name: $1.name, type: $1.type, hasDefault: $0 >= firstDefault)
            },
            result: result,
            returnsSet: row[2] == "t",
            rowOf: row[8],
            returnsOneRow: row[2] != "t" || row[9] == "t"
        )
    }

    private static func list(_ cell: String?) -> [String] {
        guard let cell, let value = try? JSONParser.parse(Array(cell.utf8)) else { return [] }
        return value.array?.map { $0.string ?? "" } ?? []
    }
}

extension ValueType {
    fileprivate var isText: Bool { self == .base("text") || self == .base("varchar") || self == .base("bpchar") }
}
