import SwiftletPostgres

/// A request with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): however often a client sends it, it
/// takes effect once, and each time has the same answer.
///
/// The handler runs in one transaction, and its answer is stored in it: there is none without the other. Keys belong to
/// a user in a tenant, and are kept for a day.
struct IdempotentRequest {
    private let scope: String
    private let key: IdempotencyKey

    /// nil for a request without a key, or one that changes nothing. Throws ``APIError`` 400 for what is no key.
    init?(_ request: Request, _ state: RequestState) throws {
        guard IdempotencyKey.isCarried(by: request), let user = state.user, user.isPerson else { return nil }
        scope = "\(state.tenant?.rawValue ?? "")\n\(user.id)"
        guard let key = try IdempotencyKey(request, of: scope) else { return nil }
        self.key = key
    }

    /// The answer of `handler`, or the one that it gave before. Throws what `handler` throws, and ``APIError`` 409
    /// while a request of the same key is under way, 422 for a key that was sent with another request.
    func answer(_ context: Context, _ handler: (Context) async throws -> Response) async throws -> Response {
        do {
            // The handler may take its time, and the connection is held until it ends.
            return try await context.transaction(of: Guest(scope)) { context in
                if let kept = try await claim(context) { return kept }
                let response = try await run(handler, context)
                _ = try await context.query(key.keeping(response))
                return response
            }
        } catch let failure as UnkeptResponse {
            return failure.response
        }
    }

    /// The answer of an earlier request.
    private func claim(_ context: Context) async throws -> Response? {
        let results: [[Row]]
        do throws(PostgresError) {
            results = try await context.queryAll(key.claim + ["SAVEPOINT swiftlet_request"])
        } catch {
            throw IdempotencyKey.refusal(error)
        }
        return try key.answer(results)
    }

    /// What it refuses has changed nothing. Throws for answers that are not kept.
    private func run(_ handler: (Context) async throws -> Response, _ context: Context) async throws -> Response {
        let schema = context.server.database.schema
        do {
            let response = try await handler(context)
            guard Self.isKept(response.status) else { throw UnkeptResponse(response: response) }
            return response
        } catch let error where !(error is UnkeptResponse) {
            // The transaction runs once more if the schema has changed.
            if let error = error as? PostgresError, error.meansStaleSchema || error.meansNewColumn(in: schema) {
                throw error
            }
            let refusal = APIError(error)
            guard Self.isKept(refusal.status) else { throw error }
            context.forgetCommitActions()
            _ = try await context.query("ROLLBACK TO SAVEPOINT swiftlet_request")
            return Response(refusal, context.requestID)
        }
    }

    /// Whether another attempt would have the same answer: what depends on the moment or the token may change.
    private static func isKept(_ status: Status) -> Bool {
        (200..<500).contains(status.rawValue) && ![401, 408, 425, 429, 499].contains(status.rawValue)
    }
}

/// A response that undoes what its handler has done, as another attempt may succeed.
private struct UnkeptResponse: Error {
    let response: Response
}
