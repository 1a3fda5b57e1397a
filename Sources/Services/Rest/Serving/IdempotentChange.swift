import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// A change with an `Idempotency-Key`: its answer is kept in the transaction that makes it, and given again to whoever
/// sends it again.
///
/// An error has changed nothing and is not kept. Of callers who are nobody in particular, none has keys of its own, so
/// theirs are not looked at.
struct IdempotentChange {
    private let key: IdempotencyKey
    private let caller: DatabaseCaller

    /// Make another change of the same content.
    private static let fields: [Headers.Name] = ["Content-Profile", "Content-Type", "Prefer"]

    /// nil for a request without a key. Throws ``RestError`` 400 for what is no key.
    init?(_ request: RestRequest) throws(RestError) {
        caller = request.caller
        guard !caller.isAnonymous else { return nil }
        do {
            let scope = "/rest/v1 \(caller.role)\n\(caller.userID)"
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
            return try await transaction.context.server.database.transaction(of: caller.guest) { open in
                if let kept = try await claim(transaction, open) { return kept }
                var inside = transaction
                inside.open = open
                let response = try await change(inside)
                _ = try await open.queryAll(["SELECT set_config('role', 'none', true)", key.keeping(response)])
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
            // It says when to come again.
            if [.conflict, .serviceUnavailable].contains(error.status) { headers = [(.retryAfter, "1")] }
        } else {
            self = .unavailable
        }
    }
}
