import SwiftletPostgres
import SwiftletWeb

/// The database as sign-in uses it: not scoped to a tenant, because accounts belong to none.
///
/// What a request's statements take is added to its log line, see ``count(in:)``.
struct AccountDatabase: Sendable {
    private let database: Database
    /// nil outside of a request.
    private var context: Context?

    init(_ database: Database) { self.database = database }

    /// Adds what statements take to the log line of a request.
    mutating func count(in context: Context) { self.context = context }

    /// The schema cache, filled if it was empty.
    func schema() async throws(PostgresError) -> Schema {
        if database.schema.version == 0 { try await database.reloadSchema() }
        return database.schema
    }

    /// See ``Database/schemaReadings``.
    var schemaReadings: Int { database.schemaReadings }

    /// See ``Database/query(_:)``.
    @discardableResult
    func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        guard let context else { return try await database.query(sql) }
        return try await context.measureDatabase(rows: \.count, of: [sql.text]) { () async throws(PostgresError) in
            try await database.query(sql)
        }
    }

    /// See ``Database/transaction(_:)``. Counts as a whole, with the time between its statements.
    func transaction<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        guard let context else { return try await database.transaction(body) }
        return try await context.measureDatabase(rows: { _ in 0 }, of: []) { try await database.transaction(body) }
    }
}
