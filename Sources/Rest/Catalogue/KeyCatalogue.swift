import Postgres

/// Keys of tables, and of the views that show their columns.
struct KeyCatalogue {
    struct ForeignKey {
        let name: String
        let relation: QualifiedName
        let columns: [String]
        let target: QualifiedName
        let targetColumns: [String]
    }

    private(set) var primaryKeys: [QualifiedName: [String]] = [:]
    private(set) var uniqueKeys: [QualifiedName: Set<Set<String>>] = [:]
    private(set) var foreignKeys: [ForeignKey] = []

    init(keys: [Row], foreignKeys rows: [Row]) throws(PostgresError) {
        for row in keys {
            let relation = QualifiedName(row["schema"] ?? "", row["relation"] ?? "")
            let columns = try row.decode([String]?.self, "columns") ?? []
            guard !columns.isEmpty else { continue }
            if row["is_primary"] == "t" { primaryKeys[relation] = columns }
            uniqueKeys[relation, default: []].insert(Set(columns))
        }
        for row in rows {
            foreignKeys.append(
                ForeignKey(
                    name: row["constraint"] ?? "",
                    relation: QualifiedName(row["schema"] ?? "", row["relation"] ?? ""),
                    columns: try row.decode([String].self, "columns"),
                    target: QualifiedName(row["foreign_schema"] ?? "", row["foreign_relation"] ?? ""),
                    targetColumns: try row.decode([String].self, "foreign_columns")
                )
            )
        }
    }

    /// Gives each view the keys whose columns it shows. `shown` is the view's column for each column of a relation.
    mutating func addViews(_ views: [QualifiedName: [QualifiedName: [String: String]]]) {
        var added: [ForeignKey] = []
        let tables = foreignKeys
        for (view, relations) in views {
            for (relation, shown) in relations {
                func names(_ columns: [String]) -> [String]? {
                    let names = columns.compactMap { shown[$0] }
                    return names.count == columns.count ? names : nil
                }
                if let key = primaryKeys[relation].flatMap(names), primaryKeys[view] == nil { primaryKeys[view] = key }
                for key in uniqueKeys[relation] ?? [] {
                    if let key = names(key.sorted()) { uniqueKeys[view, default: []].insert(Set(key)) }
                }
                for key in tables where key.relation == relation {
                    guard let columns = names(key.columns) else { continue }
                    added.append(
                        ForeignKey(
                            name: key.name,
                            relation: view,
                            columns: columns,
                            target: key.target,
                            targetColumns: key.targetColumns
                        )
                    )
                }
            }
        }
        // The far side may be a view as well.
        for key in tables + added {
            for (view, relations) in views {
                guard let shown = relations[key.target] else { continue }
                let columns = key.targetColumns.compactMap { shown[$0] }
                guard columns.count == key.targetColumns.count else { continue }
                added.append(
                    ForeignKey(
                        name: key.name,
                        relation: key.relation,
                        columns: key.columns,
                        target: view,
                        targetColumns: columns
                    )
                )
            }
        }
        foreignKeys += added
    }

    func isUnique(_ columns: [String], in relation: QualifiedName) -> Bool {
        uniqueKeys[relation]?.contains { $0.isSubset(of: columns) } ?? false
    }
}
