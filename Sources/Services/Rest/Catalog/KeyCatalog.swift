import SwiftletPostgres

/// Keys of tables, and of the views that show their columns.
struct KeyCatalog {
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

    /// More columns of a view that show one column of a key than anybody names apart.
    private static let maximumCopies = 16

    /// Gives each view the keys whose columns it shows. `shown` are the view's columns for each column of a relation: a
    /// view may show one more than once.
    mutating func addViews(_ views: [QualifiedName: [QualifiedName: [String: [String]]]]) {
        var added: [ForeignKey] = []
        let tables = foreignKeys
        for (view, relations) in views {
            for (relation, shown) in relations.sorted(by: { $0.key.description < $1.key.description }) {
                // A view of several relations has the keys of all of them.
                for column in primaryKeys[relation].flatMap({ Self.copies(of: $0, shown).first }) ?? []
                where primaryKeys[view]?.contains(column) != true { primaryKeys[view, default: []].append(column) }
                for key in uniqueKeys[relation] ?? [] {
                    for copy in Self.copies(of: key.sorted(), shown) {
                        uniqueKeys[view, default: []].insert(Set(copy))
                    }
                }
                for key in tables where key.relation == relation {
                    added += Self.copies(of: key.columns, shown).map { key.with(relation: view, columns: $0) }
                }
            }
        }
        // The far side may be a view as well.
        for key in tables + added {
            for (view, relations) in views {
                guard let shown = relations[key.target] else { continue }
                added += Self.copies(of: key.targetColumns, shown).map { key.with(target: view, columns: $0) }
            }
        }
        foreignKeys += added
    }

    /// Every choice of a view's columns that show these, or none if one is not shown.
    private static func copies(of columns: [String], _ shown: [String: [String]]) -> [[String]] {
        var copies: [[String]] = [[]]
        for column in columns {
            let names = shown[column] ?? []
            copies = copies.flatMap { copy in names.map { copy + [$0] } }
            copies = Array(copies.prefix(maximumCopies))
        }
        return copies
    }

    func isUnique(_ columns: [String], in relation: QualifiedName) -> Bool {
        uniqueKeys[relation]?.contains { $0.isSubset(of: columns) } ?? false
    }
}

extension KeyCatalog.ForeignKey {
    fileprivate func with(relation: QualifiedName, columns: [String]) -> Self {
        Self(name: name, relation: relation, columns: columns, target: target, targetColumns: targetColumns)
    }

    fileprivate func with(target: QualifiedName, columns targetColumns: [String]) -> Self {
        Self(name: name, relation: relation, columns: columns, target: target, targetColumns: targetColumns)
    }
}
