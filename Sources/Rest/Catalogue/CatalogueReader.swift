import Postgres

/// Reads a ``Catalogue`` from the database.
struct CatalogueReader {
    let database: Database
    let schemas: [String]

    func read() async throws -> Catalogue {
        let results = try await database.transaction { transaction in
            try await transaction.queryAll([
                CatalogueQueries.emptyPath,
                CatalogueQueries.columns(schemas),
                CatalogueQueries.keys,
                CatalogueQueries.foreignKeys,
                CatalogueQueries.views(schemas),
                CatalogueQueries.columnNumbers,
                CatalogueQueries.routines(schemas),
                CatalogueQueries.comments(schemas),
                CatalogueQueries.roleSettings,
            ])
        }
        guard results.count == 9 else { throw PostgresError.connectionFailure }
        var keys = try KeyCatalogue(keys: results[2], foreignKeys: results[3])
        keys.addViews(try Self.shownColumns(views: results[4], numbers: results[5]))
        let relations = try Self.relations(results[1], keys)
        let (routines, computed) = try Self.routines(results[6])
        let all = RelationshipReader.relationships(keys) + computed
        // Relations of other schemas can be junctions, but cannot be named.
        let relationships = all.filter { relations[$0.source] != nil && relations[$0.target] != nil }
        return Catalogue(
            relations: relations,
            relationships: Dictionary(grouping: relationships, by: \.source),
            routines: routines,
            comments: results[7].reduce(into: [:]) { $0[$1["schema"] ?? ""] = $1["comment"] },
            roleSettings: results[8].reduce(into: [:]) { settings, row in
                let setting = Catalogue.RoleSetting(name: row["name"] ?? "", value: row["value"] ?? "")
                settings[row["role"] ?? "", default: []].append(setting)
            }
        )
    }

    private static func relations(
        _ rows: [Row],
        _ keys: KeyCatalogue
    ) throws(PostgresError) -> [QualifiedName: CatalogueRelation] {
        var columns: [QualifiedName: [CatalogueColumn]] = [:]
        var first: [QualifiedName: Row] = [:]
        for row in rows {
            let name = QualifiedName(row["schema"] ?? "", row["relation"] ?? "")
            if first[name] == nil { first[name] = row }
            columns[name, default: []].append(try column(row))
        }
        var relations: [QualifiedName: CatalogueRelation] = [:]
        for (name, row) in first {
            relations[name] = CatalogueRelation(
                name: name,
                isView: row["is_view"] == "t",
                comment: row["relation_comment"],
                columns: columns[name] ?? [],
                primaryKey: keys.primaryKeys[name] ?? [],
                changes: CatalogueRelation.Changes(rawValue: try row.decode(Int?.self, "changes") ?? 0)
            )
        }
        return relations
    }

    private static func column(_ row: Row) throws(PostgresError) -> CatalogueColumn {
        CatalogueColumn(
            name: row["name"] ?? "",
            type: row["type"] ?? "text",
            baseType: row["base_type"] ?? "text",
            kind: CatalogueColumn.Kind(rawValue: row["kind"] ?? "") ?? .plain,
            isNullable: row["is_nullable"] == "t",
            defaultText: row["default_text"],
            maximumLength: try row.decode(Int?.self, "maximum_length"),
            labels: try row.decode([String]?.self, "labels") ?? [],
            comment: row["comment"]
        )
    }

    /// For each view: the view's column for each column of the tables behind it, through views on views.
    private static func shownColumns(
        views: [Row],
        numbers: [Row]
    ) throws(PostgresError) -> [QualifiedName: [QualifiedName: [String: String]]] {
        var relations: [String: (name: QualifiedName, columns: [Int: String])] = [:]
        for row in numbers {
            let names = try row.decode([String].self, "names")
            let places = try row.decode([Int].self, "numbers")
            let columns = Dictionary(zip(places, names), uniquingKeysWith: { first, _ in first })
            relations[row["oid"] ?? ""] = (QualifiedName(row["schema"] ?? "", row["relation"] ?? ""), columns)
        }
        let viewNumbers = Dictionary(relations.map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var origins: [String: [Int: ViewColumns.Origin]] = [:]
        for row in views {
            guard let oid = viewNumbers[QualifiedName(row["schema"] ?? "", row["relation"] ?? "")] else { continue }
            origins[oid] = ViewColumns.origins(inQuery: row["query"] ?? "")
        }
        var shown: [QualifiedName: [QualifiedName: [String: String]]] = [:]
        for (oid, columns) in origins {
            guard let view = relations[oid] else { continue }
            for (number, origin) in columns.sorted(by: { $0.key < $1.key }) {
                var origin = origin
                var steps = 0
                while let next = origins[origin.relation]?[origin.column], steps < 32 {
                    origin = next
                    steps += 1
                }
                guard let table = relations[origin.relation], let column = table.columns[origin.column],
                    let name = view.columns[number], shown[view.name]?[table.name]?[column] == nil
                else { continue }
                shown[view.name, default: [:]][table.name, default: [:]][column] = name
            }
        }
        return shown
    }

    private static func routines(
        _ rows: [Row]
    ) throws(PostgresError) -> ([QualifiedName: [Routine]], [Relationship]) {
        var routines: [QualifiedName: [Routine]] = [:]
        var computed: [Relationship] = []
        for row in rows {
            let name = QualifiedName(row["schema"] ?? "", row["name"] ?? "")
            let routine = try routine(name, row)
            routines[name, default: []].append(routine)
            if let schema = row["argument_schema"], let relation = row["argument_relation"],
                case .rows(let target?) = routine.result
            {
                let isToOne = !routine.returnsSet || row["returns_one_row"] == "t"
                computed.append(
                    Relationship(
                        source: QualifiedName(schema, relation),
                        target: target,
                        link: .computed(function: name, isToOne: isToOne)
                    )
                )
            }
        }
        return (routines, computed)
    }

    private static func routine(_ name: QualifiedName, _ row: Row) throws(PostgresError) -> Routine {
        let types = try row.decode([String].self, "types")
        let modes = try row.decode([String].self, "modes")
        var names = try row.decode([String].self, "names")
        // Names are given for the results too.
        if !modes.isEmpty { names = zip(names, modes).filter { "ibv".contains($1) }.map(\.0) }
        let defaults = try row.decode(Int.self, "defaults")
        let isVariadic = row["is_variadic"] == "t"
        let arguments = types.indices.map { index in
            let isLast = index == types.count - 1
            return Routine.Argument(
                name: index < names.count ? names[index] : "",
                type: types[index],
                isRequired: index < types.count - defaults && !(isVariadic && isLast),
                isVariadic: isVariadic && isLast
            )
        }
        let relation = row["result_relation"].map { QualifiedName(row["result_schema"] ?? "", $0) }
        let result: Routine.Result =
            switch row["result"] {
            case "void": .void
            case "rows": .rows(of: relation)
            default: .scalar(type: row["type"] ?? "text")
            }
        return Routine(
            name: name,
            arguments: arguments,
            result: result,
            returnsSet: row["returns_set"] == "t",
            volatility: Routine.Volatility(rawValue: row["volatility"] ?? "") ?? .volatile,
            comment: row["comment"]
        )
    }
}
