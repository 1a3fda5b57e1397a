import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// A change with an `Idempotency-Key`: its answer is kept in the transaction that makes it, and given again to whoever
/// sends it again.
///
/// An error has changed nothing and is not kept. Callers without a user have no keys of their own, so that theirs are not
/// looked at.
struct IdempotentChange {
    private let key: IdempotencyKey
    private let caller: DatabaseCaller

    /// Make another change of the same content.
    private static let fields: [Headers.Name] = ["Accept", "Content-Profile", "Content-Type", "Prefer"]

    /// nil for a request without a key. Throws ``RestError`` 400 for what is no key.
    init?(_ request: RestRequest) throws(RestError) {
        caller = request.caller
        guard !caller.isAnonymous, !caller.userID.isEmpty else { return nil }
        do {
            let tenant = caller.user?.tenant.map { " \($0.rawValue)" } ?? ""
            let scope = "/rest/v1 \(caller.role)\(tenant)\n\(caller.userID)"
            guard let key = try IdempotencyKey(request.request, of: scope, with: Self.fields) else { return nil }
            self.key = key
        } catch {
            throw RestError(thrown: error, caller)
        }
    }

    /// `change` runs in the transaction that it is given, and has the caller's role there until that ends.
    func answer(
        _ transaction: RestTransaction,
        _ change: (RestTransaction) async throws(RestError) -> Response
    ) async throws(RestError) -> Response {
        do {
            // It may be a function, and is not planned yet.
            let guest = caller.guest.asking(mayTakeLong: true)
            return try await transaction.context.server.database.transaction(of: guest) { open in
                if let kept = try await claim(transaction, open) { return kept }
                var inside = transaction
                inside.open = open
                let response = try await change(inside)
                // What the change has put off until the commit runs as the caller, as all that it does.
                _ = try await open.queryAll([
                    "SET CONSTRAINTS ALL IMMEDIATE",
                    "SELECT set_config('role', 'none', true), set_config('search_path', 'pg_catalog', true)",
                    key.keeping(response),
                ])
                return response
            }
        } catch {
            throw RestError(thrown: error, caller)
        }
    }

    private func claim(_ transaction: RestTransaction, _ open: Transaction) async throws -> Response? {
        if let level = transaction.isolationLevel {
            // PostgreSQL takes it before any query alone.
            _ = try await open.query(
                level == "serializable"
                    ? "SET LOCAL transaction_isolation = 'serializable'"
                    : "SET LOCAL transaction_isolation = 'repeatable read'"
            )
        }
        let results: [[Row]]
        do throws(PostgresError) {
            // Whoever waits for a lock does so until the role's statement has taken its time, as without a key.
            results = try await open.queryAll(key.claim + ["SELECT set_config('lock_timeout', '0', true)"])
        } catch {
            throw IdempotencyKey.refusal(error)
        }
        return try key.answer(results)
    }
}

extension RestError {
    /// The answer to what a transaction throws.
    fileprivate init(thrown error: any Error, _ caller: DatabaseCaller) {
        if let error = error as? RestError {
            self = error
        } else if let error = error as? PostgresError {
            self.init(error, isAnonymous: caller.isAnonymous)
        } else if let error = error as? APIError {
            self.init(error.status, error.code.rawValue, error.message)
            if error.code.rawValue == "IDEMPOTENCY_KEY_IN_FLIGHT" { headers = [(.retryAfter, "1")] }
        } else {
            self = .unavailable
        }
    }
}
