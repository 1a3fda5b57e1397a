import SwiftletAuth
import SwiftletBytes
package import SwiftletPostgres

/// The `Idempotency-Key` of a request (draft-ietf-httpapi-idempotency-key-header), and the statements that keep its
/// answer.
///
/// Keys belong to a scope, whose second line is the id of a user, and are kept for a day.
package struct IdempotencyKey: Sendable {
    private let scope: String
    private let key: String
    private let fingerprint: String

    static let maximumBytes = 255

    /// nil for a request without a key, or one that changes nothing. `fields` are those whose values make another request
    /// of the same content. Throws ``APIError`` 400 for what is no key.
    package init?(_ request: Request, of scope: String, with fields: [Headers.Name] = []) throws {
        guard Self.isCarried(by: request) else { return nil }
        self.scope = scope
        key = try Self.key(in: request.combinedHeader(.idempotencyKey) ?? "")
        let values = fields.map { "\($0.text): \(request.combinedHeader($0) ?? "")\n" }.joined()
        let head = Array("\(request.method.rawValue) \(request.path)?\(request.encodedQuery)\n\(values)".utf8)
        fingerprint = Hexadecimal.encode(try MessageDigest.sha256(head + request.body))
    }

    /// Whether there is one, on a request that changes something.
    package static func isCarried(by request: Request) -> Bool {
        (request.method == .post || request.method == .patch) && request.withHeader("idempotency-key", { $0 != nil })
    }

    /// As the draft's quoted string, or bare.
    private static func key(in field: String) throws(APIError) -> String {
        let isQuoted = field.utf8.count > 1 && field.hasPrefix("\"") && field.hasSuffix("\"")
        let key = isQuoted ? String(field.dropFirst().dropLast()) : field
        guard (1...maximumBytes).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw APIError(
                .badRequest,
                "INVALID_IDEMPOTENCY_KEY",
                "An Idempotency-Key has 1 to \(maximumBytes) visible characters"
            )
        }
        return key
    }

    /// Locks the key until the transaction ends, and asks for the row of an earlier request. Its look for that row comes
    /// after the lock, so that it sees what whoever had it before has committed.
    package var claim: [SQL] {
        [
            "SELECT pg_try_advisory_xact_lock(hashtextextended(\("\(scope)\n\(key)"), 70)) AS is_free",
            """
            SELECT fingerprint, status, headers, exposed_fields, encode(body, 'hex') AS body
            FROM swiftlet.idempotency_keys
            WHERE scope = \(scope) AND key = \(key) AND created_at > clock_timestamp() - interval '24 hours'
            """,
        ]
    }

    /// The answer to throw for an error of the claim.
    package static func refusal(_ error: PostgresError) -> any Error {
        guard error.state == .undefinedTable else { return error }
        return APIError.unavailable(
            "IDEMPOTENCY_UNAVAILABLE",
            "This server cannot keep idempotency keys: its database lacks a migration"
        )
    }

    /// The answer that the results of ``claim`` have; nil if the request is to run. Throws ``APIError`` 409 while one of
    /// the same key is under way, 422 for a key that was sent with another request.
    package func answer(_ results: [[Row]]) throws -> Response? {
        if let kept = results[1].first { return try replay(kept) }
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

    /// Keeps the answer, in the transaction of the request.
    package func keeping(_ response: Response) -> SQL {
        let answer = StoredResponse(response)
        return """
            INSERT INTO swiftlet.idempotency_keys (scope, key, fingerprint, status, headers, exposed_fields, body)
            VALUES (\(scope), \(key), \(fingerprint), \(answer.status), \(answer.headers), \(answer.exposedFields),
                decode(\(answer.body.map(Hexadecimal.encode)), 'hex'))
            ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
                headers = excluded.headers, exposed_fields = excluded.exposed_fields, body = excluded.body,
                created_at = excluded.created_at
            """
    }
}

extension Headers.Name {
    fileprivate static var idempotencyKey: Self { "Idempotency-Key" }
    fileprivate static var idempotencyReplayed: Self { "Idempotency-Replayed" }
}
