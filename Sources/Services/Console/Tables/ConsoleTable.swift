import SwiftletJSON
import SwiftletPostgres

/// A table that exists, with what statements about it need. Names come from the catalog, never from the request.
struct ConsoleTable {
    struct Column {
        let name: String
        let type: String
        let isNotNull: Bool
        let isGenerated: Bool
        let keyPosition: Int?
    }

    let schema: String
    let name: String
    let isTable: Bool
    let estimate: Int
    let columns: [Column]
    let key: [Column]
    let description: JSONValue

    /// Throws ``ConsoleError`` if there is none.
    static func find(_ schema: String, _ name: String, in transaction: Transaction) async throws -> ConsoleTable {
        let rows = try await transaction.query(TableCatalog.description(schema, name))
        guard let row = rows.first, let text = row[row.columns[0]] else { throw ConsoleError.notFound }
        return try ConsoleTable(try JSONParser.parse(Array(text.utf8)))
    }

    private init(_ json: JSONValue) throws {
        guard let schema = json["schema"]?.string, let name = json["name"]?.string else { throw ConsoleError.notFound }
        self.schema = schema
        self.name = name
        isTable = json["isTable"]?.bool ?? false
        estimate = json["estimate"]?.int ?? 0
        columns = (json["columns"]?.array ?? []).compactMap { column in
            guard let name = column["name"]?.string, let type = column["type"]?.string else { return nil }
            return Column(
                name: name,
                type: type,
                isNotNull: column["notNull"]?.bool ?? false,
                isGenerated: column["generated"]?.bool ?? false,
                keyPosition: column["key"]?.int
            )
        }
        key = columns.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
        description = json
    }

    func column(_ name: String) throws(ConsoleError) -> Column {
        guard let column = columns.first(where: { $0.name == name }) else {
            throw .bad("\(self.name) has no column \(name).")
        }
        return column
    }

    /// The platform keeps its own tables in order; who wants to change a user or a job has a page for that.
    var isPlatforms: Bool {
        ["auth", "storage", "realtime", "swiftlet"].contains(schema) || name.hasPrefix("swiftlet_")
    }

    /// Nil if rows can be changed.
    var reasonToBeReadOnly: String? {
        if !isTable { return "It is a view." }
        if isPlatforms { return "It belongs to the platform: change users, jobs and operators on their own pages." }
        if key.isEmpty { return "It has no primary key, so no row can be named for certain." }
        return nil
    }

    func add(to builder: inout StatementBuilder) {
        builder.add(name: schema)
        builder.add(".")
        builder.add(name: name)
    }

    /// Values of such columns are secrets to viewers.
    static func isSecret(_ column: String) -> Bool {
        let name = column.lowercased()
        return ["password", "secret", "token", "hash"].contains { name.contains($0) }
    }
}
