import SwiftletPostgres

/// What a database has that its migrations do not make, as the statements of the next migration.
package struct SchemaDifference: Equatable, Sendable {
    /// Each with its semicolon. Those that would lose rows, protection or what others need are comments, in every line.
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
        var script = DifferenceScript()
        for object in before where Self.isWhole(object) { script.lose(object) }
        for object in after where Self.isWhole(object) { script.keep(object) }
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

    /// Whether it has parts of its own, which come and go with it.
    private static func isWhole(_ object: SchemaObject) -> Bool {
        [.schema, .type, .sequence, .table, .function, .view].contains(object.kind)
    }

    private static func byIdentity(_ objects: [SchemaObject], _ kind: SchemaObject.Kind) -> [String: SchemaObject] {
        Dictionary(objects.filter { $0.kind == kind }.map { ($0.identity, $0) }) { first, _ in first }
    }

    private static func url(_ url: String, database: String) -> String {
        let pairs = ConnectionInfo(url)?.pairs.filter { $0.keyword != "dbname" } ?? []
        return (pairs + [("dbname", database)]).map { keyword, value in
            "\(keyword)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }.joined(separator: " ")
    }
}
