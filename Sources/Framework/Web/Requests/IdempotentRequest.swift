import SwiftletAuth
import SwiftletBytes
import SwiftletPostgres

/// A request with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): however often a client sends it, it
/// takes effect once, and each time has the same answer.
///
/// The handler runs in one transaction, and its answer is stored in it: there is none without the other. Keys belong to
/// a user in a tenant, and are kept for a day.
struct IdempotentRequest {
    private let scope: String
    private let key: String
    private let fingerprint: String

    static let maximumKeyBytes = 255

    /// nil for a request without a key, or one that changes nothing. Throws ``APIError`` 400 for what is no key.
    init?(_ request: Request, _ state: RequestState) throws {
        guard request.method == .post || request.method == .patch,
            request.withHeader("idempotency-key", { $0 != nil }), let user = state.user, user.isPerson
        else { return nil }
        key = try Self.key(in: request.combinedHeader(.idempotencyKey) ?? "")
        scope = "\(state.tenant?.rawValue ?? "")\n\(user.id)"
        let head = Array("\(request.method.rawValue) \(request.path)?\(request.encodedQuery)\n".utf8)
        fingerprint = Hexadecimal.encode(try MessageDigest.sha256(head + request.body))
    }

    /// As the draft's quoted string, or bare.
    private static func key(in field: String) throws(APIError) -> String {
        let isQuoted = field.utf8.count > 1 && field.hasPrefix("\"") && field.hasSuffix("\"")
        let key = isQuoted ? String(field.dropFirst().dropLast()) : field
        guard (1...maximumKeyBytes).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw APIError(
                .badRequest,
                "INVALID_IDEMPOTENCY_KEY",
                "An Idempotency-Key has 1 to \(maximumKeyBytes) visible characters"
            )
        }
        return key
    }

    /// The answer of `handler`, or the one that it gave before. Throws what `handler` throws, and ``APIError`` 409
    /// while a request of the same key is under way, 422 for a key that was sent with another request.
    func answer(_ context: Context, _ handler: (Context) async throws -> Response) async throws -> Response {
        do {
            // The handler may take its time, and the connection is held until it ends.
            return try await context.transaction(of: Guest(scope)) { context in
                if let kept = try await claim(context) { return try replay(kept) }
                let response = try await run(handler, context)
                try await keep(StoredResponse(response), context)
                return response
            }
        } catch let failure as UnkeptResponse {
            return failure.response
        }
    }

    /// Locks the key until the transaction ends, and returns the row of an earlier request. Its look for that row comes
    /// after the lock, so that it sees what whoever had it before has committed.
    private func claim(_ context: Context) async throws -> Row? {
        let results: [[Row]]
        do throws(PostgresError) {
            results = try await context.queryAll([
                "SELECT pg_try_advisory_xact_lock(hashtextextended(\("\(scope)\n\(key)"), 70)) AS is_free",
                """
                SELECT fingerprint, status, headers, exposed_fields, encode(body, 'hex') AS body
                FROM swiftlet.idempotency_keys
                WHERE scope = \(scope) AND key = \(key) AND created_at > clock_timestamp() - interval '24 hours'
                """,
                "SAVEPOINT swiftlet_request",
            ])
        } catch {
            guard error.state == .undefinedTable else { throw error }
            throw APIError.unavailable(
                "IDEMPOTENCY_UNAVAILABLE",
                "This server cannot keep idempotency keys: its database lacks a migration"
            )
        }
        if let kept = results[1].first { return kept }
        guard try results[0].first?.decode(Bool.self, "is_free") == true else {
            throw APIError(
                .conflict,
                "IDEMPOTENCY_KEY_IN_FLIGHT",
                "A request with this Idempotency-Key is under way; try again"
            )
            .adding(.retryAfter, "1")
        }
        return nil
    }

    private func replay(_ row: Row) throws -> Response {
        guard row["fingerprint"] == fingerprint else {
            throw APIError(
                .unprocessableContent,
                "IDEMPOTENCY_KEY_REUSED",
                "This Idempotency-Key was sent with another request"
            )
        }
        guard var response = try StoredResponse(row).response else {
            throw APIError(
                .conflict,
                "IDEMPOTENCY_ANSWER_NOT_KEPT",
                "A request with this Idempotency-Key took effect; its answer was too large to be kept"
            )
        }
        response.list(["true"], in: .idempotencyReplayed)
        return response
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

    private func keep(_ answer: StoredResponse, _ context: Context) async throws {
        _ = try await context.query(
            """
            INSERT INTO swiftlet.idempotency_keys (scope, key, fingerprint, status, headers, exposed_fields, body)
            VALUES (\(scope), \(key), \(fingerprint), \(answer.status), \(answer.headers), \(answer.exposedFields),
                decode(\(answer.body.map(Hexadecimal.encode)), 'hex'))
            ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
                headers = excluded.headers, exposed_fields = excluded.exposed_fields, body = excluded.body,
                created_at = excluded.created_at
            """
        )
    }
}

/// A response that undoes what its handler has done, as another attempt may succeed.
private struct UnkeptResponse: Error {
    let response: Response
}

extension Headers.Name {
    fileprivate static var idempotencyKey: Self { "Idempotency-Key" }
    fileprivate static var idempotencyReplayed: Self { "Idempotency-Replayed" }
}
