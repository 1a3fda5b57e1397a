import SwiftletPostgres

/// What a database has that its migrations do not make, as the statements of the next migration.
package struct SchemaDifference: Equatable, Sendable {
    /// Each with its semicolon. Those that would lose rows are comments.
    package let statements: [String]

    /// Applies the files to a new database on the same server, which is dropped again.
    package static func find(
        between files: [MigrationFile],
        and url: String
    ) throws(MigrationError) -> SchemaDifference {
        do throws(BlockingConnectionError) {
            let changed = try BlockingConnection.connect(to: url)
            let name = "swiftlet_diff_\(String(UInt64.random(in: .min ... .max), radix: 16))"
            try changed.execute("CREATE DATABASE \(name) TEMPLATE template0")
            defer { try? changed.execute("DROP DATABASE \(name) WITH (FORCE)") }
            let fresh = Self.url(url, database: name)
            do throws(MigrationError) {
                try Migrator(url: fresh, files: files).apply()
            } catch {
                throw BlockingConnectionError(
                    state: "XX000",
                    message: "the migrations do not run in a new database: \(error)"
                )
            }
            let made = try BlockingConnection.connect(to: fresh)
            try made.execute(SchemaObject.settings)
            let before = try SchemaObject.all(made)
            try changed.execute(SchemaObject.settings)
            let after = try SchemaObject.all(changed)
            return SchemaDifference(from: before, to: after)
        } catch {
            throw .database(error)
        }
    }

    init(from before: [SchemaObject], to after: [SchemaObject]) {
        var script = Script()
        for kind in SchemaObject.Kind.allCases {
            let old = Self.byIdentity(before, kind)
            for object in after where object.kind == kind {
                guard let former = old[object.identity] else {
                    script.make(object)
                    continue
                }
                if former != object { script.change(former, to: object) }
            }
        }
        // What hangs on others goes first.
        for kind in SchemaObject.Kind.allCases.reversed() {
            let new = Self.byIdentity(after, kind)
            for object in before where object.kind == kind && new[object.identity] == nil { script.drop(object) }
        }
        statements = script.statements
    }

    private static func byIdentity(_ objects: [SchemaObject], _ kind: SchemaObject.Kind) -> [String: SchemaObject] {
        Dictionary(objects.filter { $0.kind == kind }.map { ($0.identity, $0) }) { first, _ in first }
    }

    private struct Script {
        private(set) var statements: [String] = []
        /// Tables that are made, whose columns come with them, and tables that are gone.
        private var newTables: Set<String> = []
        private var goneTables: Set<String> = []

        mutating func make(_ object: SchemaObject) {
            if object.kind == .table { newTables.insert(object.identity) }
            if object.kind == .column, newTables.contains(object.table) { return }
            statements.append("\(object.create);")
        }

        mutating func change(_ former: SchemaObject, to object: SchemaObject) {
            switch object.kind {
            // Their columns tell it.
            case .table, .schema, .sequence: return
            case .column: changeColumn(former, to: object)
            case .type:
                statements.append("-- The type has changed; ALTER TYPE … ADD VALUE keeps rows:\n-- \(object.create);")
            case .function: statements.append("\(object.create);")
            case .view where object.create.hasPrefix("CREATE OR REPLACE"): statements.append("\(object.create);")
            default: statements.append("\(former.drop);\n\(object.create);")
            }
        }

        private mutating func changeColumn(_ former: SchemaObject, to object: SchemaObject) {
            guard former.parts != object.parts, object.parts.count == 4, former.parts.count == 4 else {
                return statements.append("-- A column has changed:\n-- \(object.create);")
            }
            let (name, type) = (object.parts[0], object.parts[1])
            let alter = "ALTER TABLE \(object.table) ALTER COLUMN \(name)"
            if former.parts[1] != type { statements.append("\(alter) TYPE \(type) USING \(name)::\(type);") }
            if former.parts[2] != object.parts[2] {
                statements.append(
                    object.parts[2].isEmpty ? "\(alter) DROP DEFAULT;" : "\(alter) SET DEFAULT \(object.parts[2]);"
                )
            }
            if former.parts[3] != object.parts[3] {
                statements.append("\(alter) \(object.parts[3] == "t" ? "SET" : "DROP") NOT NULL;")
            }
        }

        mutating func drop(_ object: SchemaObject) {
            switch object.kind {
            case .table, .column, .type, .schema, .sequence:
                statements.append("-- Loses rows, or what other rows need:\n-- \(object.drop);")
            default: statements.append("\(object.drop);")
            }
        }
    }

    private static func url(_ url: String, database: String) -> String {
        let pairs = ConnectionInfo(url)?.pairs.filter { $0.keyword != "dbname" } ?? []
        return (pairs + [("dbname", database)]).map { keyword, value in
            "\(keyword)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }.joined(separator: " ")
    }
}
