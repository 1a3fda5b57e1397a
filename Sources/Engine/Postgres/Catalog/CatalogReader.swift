/// Makes a ``Catalog`` of the results of ``CatalogQueries``.
struct CatalogReader {
    private let results: [[CatalogRow]]
    private let types: TypeCatalog
    /// Of every relation and composite type, by object id.
    private let names: [String: QualifiedName]
    /// Of the relations that views show, by object id and number.
    private let columnNames: [String: [String: String]]

    /// nil if they are not the results of all queries.
    static func read(_ results: [[CatalogRow]]) -> Catalog? {
        guard results.count == CatalogQueries.all.count else { return nil }
        return CatalogReader(results).catalog
    }

    private init(_ results: [[CatalogRow]]) {
        self.results = results
        types = TypeCatalog(results[2])
        names = results[3].reduce(into: [:]) { $0[$1.text(0)] = QualifiedName($1.text(1), $1.text(2)) }
        columnNames = results[14].reduce(into: [:]) { $0[$1.text(0), default: [:]][$1.text(1)] = $1.text(2) }
    }

    private var catalog: Catalog {
        let tables = tables
        return Catalog(
            types: types,
            tables: tables.filter { !$0.isComposite }.reduce(into: [:]) { $0[$1.table.qualifiedName] = $1.table },
            composites: tables.filter(\.isComposite).reduce(into: [:]) { $0[$1.table.qualifiedName] = $1.table },
            routines: results[10].map { Routine($0) },
            mediaAggregates: results[11].map { row in
                MediaAggregate(
                    function: QualifiedName(row.text(0), row.text(1)),
                    argument: row[3] == "anyelement" ? nil : row.name(2, 3),
                    mediaType: row.text(4),
                    isBytes: row.flag(5)
                )
            },
            readSchemas: Set(results[0].first?.list(1) ?? []),
            schemas: results[1].reduce(into: [:]) { $0[$1.text(0)] = $1.text(1) },
            ownSettings: results[12].map { RoleSetting(name: $0.text(0), value: $0.text(1)) },
            roleSettings: results[13].reduce(into: [:]) { settings, row in
                settings[row.text(0), default: []].append(RoleSetting(name: row.text(1), value: row.text(2)))
            }
        )
    }

    private var tables: [(table: Table, isComposite: Bool)] {
        let columns = Dictionary(grouping: results[4]) { $0.text(0) }
        let keys = Dictionary(grouping: results[5]) { $0.text(0) }
        let foreignKeys = Dictionary(grouping: results[6]) { $0.text(0) }
        let constraints = Dictionary(grouping: results[7]) { $0.text(0) }
        let checks = Dictionary(grouping: results[8]) { $0.text(0) }
        let origins = origins
        return results[3].map { row in
            let oid = row.text(0)
            let kind = row.text(3)
            let keys = keys[oid] ?? []
            let checks = (checks[oid] ?? []).reduce(into: [:]) { $0[$1.text(1), default: []].append($1.text(2)) }
            let table = Table(
                schema: row.text(1),
                name: row.text(2),
                isView: kind == "v" || kind == "m",
                comment: row[4],
                columns: (columns[oid] ?? []).map { column in
                    types.column(column, checks: checks, origin: origins[oid]?[column.text(1)])
                },
                primaryKey: keys.first { $0.flag(1) }?.list(2) ?? [],
                foreignKeys: (foreignKeys[oid] ?? []).map(Self.foreignKey),
                uniqueKeys: keys.filter { !$0.flag(1) }.map { $0.list(2) },
                constraints: (constraints[oid] ?? []).reduce(into: [:]) { $0[$1.text(1)] = $1.list(2) },
                changes: Table.Changes(rawValue: row.number(5) ?? 0),
                isOfExtension: row.flag(6)
            )
            return (table, kind == "c")
        }
    }

    private static func foreignKey(_ row: CatalogRow) -> Table.ForeignKey {
        Table.ForeignKey(
            name: row.text(1),
            columns: row.list(2),
            foreignSchema: row.text(3),
            foreignTable: row.text(4),
            foreignColumns: row.list(5)
        )
    }

    /// What the columns of each view show, by the view's object id and the column's number.
    private var origins: [String: [String: Column.Origin]] {
        results[9].reduce(into: [:]) { origins, row in
            for (number, origin) in ViewColumns.origins(inQuery: row.text(1)) {
                guard let relation = names[origin.relation],
                    let column = columnNames[origin.relation]?["\(origin.column)"]
                else { continue }
                origins[row.text(0), default: [:]]["\(number)"] = Column.Origin(relation: relation, column: column)
            }
        }
    }
}

extension Catalog {
    /// Reads schemas of a live database. Blocks.
    package static func read(_ schemas: [String], from connection: borrowing BlockingConnection) throws -> Catalog {
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        var results: [[CatalogRow]] = []
        for (index, statement) in CatalogQueries.all.enumerated() {
            let parameters = index == 0 ? [ArrayLiteral.text(schemas)] : []
            results.append(try connection.query(statement.text, parameters).map { CatalogRow($0) })
        }
        return CatalogReader.read(results) ?? .empty
    }
}
