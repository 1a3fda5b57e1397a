import SwiftletPostgres

/// A transaction, with the tables that its statements are made for. See ``AccountStore/transaction(_:)``.
struct AccountTransaction: Sendable {
    let tables: AccountTables
    private let transaction: Transaction

    init(_ transaction: Transaction, _ tables: AccountTables) {
        self.transaction = transaction
        self.tables = tables
    }

    var statements: AccountStatements { tables.statements }

    /// The account as it is now and stays until the transaction ends. Throws ``SignInError`` 404.
    func lockedAccount(_ id: String) async throws -> Account {
        var group = StatementGroup([AccountStatements.lock(on: id)])
        let selection = group.append(statements.selection(of: id))
        guard let account = try await run(group)[selection].first.flatMap(Account.init) else {
            throw SignInError.userNotFound
        }
        return account
    }

    @discardableResult
    func query(_ statement: SQL) async throws(PostgresError) -> [Row] { try await transaction.query(statement) }

    /// Runs the statements in one round trip, see ``Transaction/queryAll(_:)``.
    func run(_ statements: [SQL]) async throws(PostgresError) { _ = try await transaction.queryAll(statements) }

    /// Runs the statements in one round trip and returns their rows.
    func run(_ group: StatementGroup) async throws(PostgresError) -> StatementGroup.Results {
        StatementGroup.Results(try await transaction.queryAll(group.statements))
    }
}
