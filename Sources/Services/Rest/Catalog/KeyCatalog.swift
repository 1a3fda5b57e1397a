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

    /// The keys of all tables, and of the views in `schemas`.
    init(_ tables: [QualifiedName: Table], viewsIn schemas: Set<String>) {
        for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
            if !table.primaryKey.isEmpty { primaryKeys[name] = table.primaryKey }
            for key in [table.primaryKey] + table.uniqueKeys where !key.isEmpty {
                uniqueKeys[name, default: []].insert(Set(key))
            }
            foreignKeys += table.foreignKeys.map { key in
                ForeignKey(
                    name: key.name,
                    relation: name,
                    columns: key.columns,
                    target: QualifiedName(key.foreignSchema, key.foreignTable),
                    targetColumns: key.foreignColumns
                )
            }
        }
        addViews(Self.shownColumns(tables.filter { $0.value.isView && schemas.contains($0.key.schema) }))
    }

    /// For each view: the view's columns for each column of the tables behind it, through views on views.
    private static func shownColumns(
        _ views: [QualifiedName: Table]
    ) -> [QualifiedName: [QualifiedName: [String: [String]]]] {
        var shown: [QualifiedName: [QualifiedName: [String: [String]]]] = [:]
        for (name, view) in views {
            for column in view.columns {
                guard var origin = column.origin else { continue }
                var steps = 0
                while let next = views[origin.relation]?.column(origin.column)?.origin, steps < maximumSteps {
                    origin = next
                    steps += 1
                }
                shown[name, default: [:]][origin.relation, default: [:]][origin.column, default: []].append(column.name)
            }
        }
        return shown
    }

    /// Views on views beyond these are not followed.
    private static let maximumSteps = 32
    /// More columns of a view that show one column of a key than anybody names apart.
    private static let maximumCopies = 16

    /// Gives each view the keys whose columns it shows. `shown` are the view's columns for each column of a relation: a
    /// view may show one more than once.
    private mutating func addViews(_ views: [QualifiedName: [QualifiedName: [String: [String]]]]) {
        var added: [ForeignKey] = []
        let tables = foreignKeys
        for (view, relations) in views {
            for (relation, shown) in relations.sorted(by: { $0.key < $1.key }) {
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
