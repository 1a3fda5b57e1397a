import SwiftletPostgres
import SwiftletWeb

/// Reads a ``Catalog`` from the database.
struct CatalogReader {
    let database: Database
    let settings: RestSettings

    func read() async throws -> Catalog {
        let (settings, results) = try await database.transaction { transaction in
            var settings = self.settings
            for row in try await transaction.query(CatalogQueries.ownSettings) {
                _ = settings.set(row["name"] ?? "", to: row["value"] ?? "")
            }
            let schemas = settings.schemas
            let results = try await transaction.queryAll([
                CatalogQueries.emptyPath,
                CatalogQueries.columns(schemas),
                CatalogQueries.keys,
                CatalogQueries.foreignKeys,
                // A view may show a table through one of a schema that is not exposed.
                CatalogQueries.views(schemas + settings.extraSearchPath),
                CatalogQueries.columnNumbers,
                CatalogQueries.routines(schemas),
                CatalogQueries.comments(schemas),
                CatalogQueries.roleSettings,
                CatalogQueries.mediaHandlers(schemas),
            ])
            return (settings, results)
        }
        guard results.count == 10 else { throw PostgresError.connectionFailure }
        var keys = try KeyCatalog(keys: results[2], foreignKeys: results[3])
        keys.addViews(try Self.shownColumns(views: results[4], numbers: results[5]))
        let relations = try Self.relations(results[1], keys)
        let (routines, computed) = try Self.routines(results[6])
        let handlers = Self.mediaHandlers(results[9], routineRows: results[6])
        let all = RelationshipReader.relationships(keys) + computed
        // Relations of other schemas can neither be named nor join others.
        let relationships = all.filter { relationship in
            if case .through(let junction) = relationship.link, relations[junction.relation] == nil { return false }
            return relations[relationship.source] != nil && relations[relationship.target] != nil
        }
        return Catalog(
            settings: settings,
            relations: relations,
            relationships: Dictionary(grouping: relationships, by: \.source),
            routines: routines,
            mediaHandlers: handlers,
            comments: results[7].reduce(into: [:]) { $0[$1["schema"] ?? ""] = $1["comment"] },
            roleSettings: results[8].reduce(into: [:]) { settings, row in
                let setting = Catalog.RoleSetting(name: row["name"] ?? "", value: row["value"] ?? "")
                settings[row["role"] ?? "", default: []].append(setting)
            }
        )
    }

    private static func relations(
        _ rows: [Row],
        _ keys: KeyCatalog
    ) throws(PostgresError) -> [QualifiedName: CatalogRelation] {
        var columns: [QualifiedName: [CatalogColumn]] = [:]
        var first: [QualifiedName: Row] = [:]
        for row in rows {
            let name = QualifiedName(row["schema"] ?? "", row["relation"] ?? "")
            if first[name] == nil { first[name] = row }
            if row["name"] != nil { columns[name, default: []].append(try column(row)) }
        }
        var relations: [QualifiedName: CatalogRelation] = [:]
        for (name, row) in first {
            relations[name] = CatalogRelation(
                name: name,
                isView: row["is_view"] == "t",
                comment: row["relation_comment"],
                columns: columns[name] ?? [],
                primaryKey: keys.primaryKeys[name] ?? [],
                changes: CatalogRelation.Changes(rawValue: try row.decode(Int?.self, "changes") ?? 0)
            )
        }
        return relations
    }

    private static func column(_ row: Row) throws(PostgresError) -> CatalogColumn {
        CatalogColumn(
            name: row["name"] ?? "",
            type: row["type"] ?? "text",
            format: row["format"] ?? "text",
            baseType: row["base_type"] ?? "text",
            kind: CatalogColumn.Kind(rawValue: row["kind"] ?? "") ?? .plain,
            isNullable: row["is_nullable"] == "t",
            defaultText: row["default_text"],
            maximumLength: try row.decode(Int?.self, "maximum_length"),
            labels: try row.decode([String]?.self, "labels") ?? [],
            comment: row["comment"],
            representation: CatalogColumn.Representation(
                toJSON: row["to_json"],
                fromJSON: row["from_json"],
                fromText: row["from_text"]
            )
        )
    }

    /// For each view: the view's columns for each column of the tables behind it, through views on views.
    private static func shownColumns(
        views: [Row],
        numbers: [Row]
    ) throws(PostgresError) -> [QualifiedName: [QualifiedName: [String: [String]]]] {
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
        var shown: [QualifiedName: [QualifiedName: [String: [String]]]] = [:]
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
                    let name = view.columns[number]
                else { continue }
                shown[view.name, default: [:]][table.name, default: [:]][column, default: []].append(name)
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
            if routine.isCallable { routines[name, default: []].append(routine) }
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
        // What names several of them names them in PostgREST's order.
        for name in routines.keys { routines[name]?.sort { $0.precedes($1) } }
        return (routines, computed)
    }

    private static func mediaHandlers(_ aggregates: [Row], routineRows: [Row]) -> MediaHandlers {
        var handlers = MediaHandlers()
        for row in aggregates {
            guard let type = row["media_type"] else { continue }
            let isAny = row["argument"] == "anyelement"
            let argument = isAny ? nil : QualifiedName(row["argument_schema"] ?? "", row["argument"] ?? "")
            let handler = MediaHandler(
                function: QualifiedName(row["schema"] ?? "", row["name"] ?? ""),
                argument: argument,
                type: resolved(type),
                isBytes: row["is_bytes"] == "t"
            )
            handlers.add(handler, named: type, of: argument)
        }
        for row in routineRows {
            guard let type = row["media_type"] else { continue }
            let handler = MediaHandler(
                function: nil,
                argument: nil,
                type: resolved(type),
                isBytes: row["is_bytes"] == "t"
            )
            handlers.add(handler, named: type, of: QualifiedName(row["schema"] ?? "", row["name"] ?? ""))
        }
        return handlers
    }

    /// What answers everything says what it is itself, by `response.headers`.
    private static func resolved(_ name: String) -> MediaType {
        name == "*/*" ? .other("application/octet-stream") : MediaType(named: name)
    }

    private static func routine(_ name: QualifiedName, _ row: Row) throws(PostgresError) -> Routine {
        let types = try row.decode([String].self, "types")
        let boundTypes = try row.decode([String].self, "bound_types")
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
                boundType: index < boundTypes.count ? boundTypes[index] : types[index],
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
            identifier: row["identifier"] ?? "",
            name: name,
            arguments: arguments,
            result: result,
            returnsSet: row["returns_set"] == "t",
            volatility: Routine.Volatility(rawValue: row["volatility"] ?? "") ?? .volatile,
            comment: row["comment"],
            settings: try row.decode([String].self, "settings").compactMap { setting in
                let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 ? Catalog.RoleSetting(name: parts[0], value: parts[1]) : nil
            }
        )
    }
}
