import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// The console's transactions: short, bounded, and audited where they change something.
struct ConsoleDatabase: Sendable {
    private enum Place: Sendable {
        case pool(Database)
        case transaction(Transaction)
    }

    private let place: Place

    init(database: Database) { place = .pool(database) }

    /// Each of its transactions is a part of this one, and is taken back.
    init(within transaction: Transaction) { place = .transaction(transaction) }

    /// Runs `body` in a read-only transaction that ends within `timeout` milliseconds.
    func read<Value>(timeout: Int = 10_000, _ body: (Transaction) async throws -> Value) async throws -> Value {
        try await transaction { transaction in
            try await Self.limit(transaction, timeout)
            try await transaction.query("SET TRANSACTION READ ONLY")
            return try await body(transaction)
        }
    }

    func write<Value>(timeout: Int = 10_000, _ body: (Transaction) async throws -> Value) async throws -> Value {
        try await transaction { transaction in
            try await Self.limit(transaction, timeout)
            return try await body(transaction)
        }
    }

    /// Runs `body` in a transaction that is rolled back, whatever happens.
    func rollingBack<Value>(timeout: Int = 2_000, _ body: (Transaction) async throws -> Value) async throws -> Value {
        var value: Value?
        do {
            try await transaction { transaction in
                try await Self.limit(transaction, timeout)
                value = try await body(transaction)
                throw RolledBack()
            }
        } catch is RolledBack {}
        guard let value else { throw ConsoleError(500, "INTERNAL", "The transaction gave nothing.") }
        return value
    }

    private struct RolledBack: Error {}

    private func transaction<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        do {
            switch place {
            case .pool(let database): return try await database.transaction(body)
            case .transaction(let transaction): return try await transaction.undoing(body)
            }
        } catch let error as PostgresError {
            throw ConsoleError(error)
        }
    }

    private static func limit(_ transaction: Transaction, _ timeout: Int) async throws(PostgresError) {
        try await transaction.query(
            """
            SELECT set_config('statement_timeout', \(String(timeout)), true), set_config('lock_timeout', \(String(min(timeout / 4, 500))), true),
                set_config('application_name', 'swiftlet-console', true)
            """
        )
    }
}

/// One entry of the audit, written in the transaction of the change.
struct OperatorAction {
    let action: String
    let object: String
    var before: String?
    var after: String?
    var statement: String?

    /// Returns the entry's number.
    @discardableResult
    func write(_ asked: ConsoleRequest, in transaction: Transaction) async throws(PostgresError) -> Int {
        let rows = try await transaction.query(
            """
            INSERT INTO swiftlet.console_audit (operator, address, request_id, action, object, before, after, statement)
            VALUES (\(asked.visitor.name), \(asked.request.remoteAddress), \(asked.context.requestID), \(action), \(object),
                \(before)::jsonb, \(after)::jsonb, \(statement)) RETURNING id
            """
        )
        return try rows.first?.decode(Int.self, "id") ?? 0
    }
}

extension Response {
    /// A change is made; `audit` is its entry's number.
    static func done(_ audit: Int) -> Response { .json(["audit": .number(JSONNumber(audit))]) }
}
