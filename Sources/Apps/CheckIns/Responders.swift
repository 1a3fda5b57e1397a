public import Swiftlet

/// Who is told when the caller misses a check-in or calls for help, and for whom the caller has been asked to respond.
public let responders = Function("responders") {
    Get(list).forPersons().answering(.object(["data": .list(responder), "total": .integer]))
    Post(ask).forPersons().taking(.object(["userId": .text(upTo: 200)])).answering(.created, responder)
        .refusing(.notFound, .conflict)
    Post("/:id/accept", accept).forPersons().answering(responder)
    Delete("/:id", remove).forPersons().answering(.success)
}

private let responder = JSONSchema.object([
    "id": .uuid, "userId": .text, "responderId": .text, "status": .words("pending", "accepted"),
    "createdAt": .timestamp, "acceptedAt": .timestamp.nullable,
])

private let maximumResponders = 50

private let columns: SQL = """
    id::text AS id, user_id AS "userId", responder_id AS "responderId",
    CASE WHEN accepted_at IS NULL THEN 'pending' ELSE 'accepted' END AS status,
    created_at AS "createdAt", accepted_at AS "acceptedAt"
    """

/// Lists who responds for the caller, and for whom the caller does.
private func list(_ request: Request, _ context: Context) async throws -> Response {
    try .list(
        await context.personalDatabase.query(
            """
            SELECT \(columns) FROM responders WHERE user_id = \(context.person) OR responder_id = \(context.person)
            ORDER BY created_at, id
            """
        )
    )
}

/// Asks somebody to respond for the caller.
private func ask(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try context.person
    var fields = try BodyFields(request)
    let person = fields.person("userId")
    if person == caller.rawValue { fields.fault("userId", "must be somebody else") }
    try fields.finish()
    let known = try await context.personalDatabase.query(
        """
        SELECT swiftlet_person_exists(\(person)) AS exists,
            (SELECT count(*) FROM responders WHERE user_id = \(caller)) AS count
        """
    )
    guard let row = known.first, try row.decode(Bool.self, "exists") else { throw APIError.notFound }
    guard try row.decode(Int.self, "count") < maximumResponders else {
        throw APIError(.conflict, "TOO_MANY_RESPONDERS", "At most \(maximumResponders) people can respond for you.")
    }
    let rows = try await context.personalDatabase.query(
        """
        INSERT INTO responders (user_id, responder_id) VALUES (\(caller), \(person))
        ON CONFLICT (user_id, responder_id) DO NOTHING RETURNING \(columns)
        """
    )
    guard let row = rows.first else {
        throw APIError(.conflict, "ALREADY_ASKED", "You have asked them already.")
    }
    return .json(.created, .object(try row.json()))
}

/// Agrees to respond for somebody.
private func accept(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    guard id.isUUID else { throw APIError.notFound }
    let rows = try await context.personalDatabase.query(
        """
        UPDATE responders SET accepted_at = coalesce(accepted_at, clock_timestamp())
        WHERE id = \(id)::uuid AND responder_id = \(context.person) RETURNING \(columns)
        """
    )
    guard let row = rows.first else { throw APIError.notFound }
    return .json(.object(try row.json()))
}

/// Ends it, from either side.
private func remove(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    guard id.isUUID else { throw APIError.notFound }
    let rows = try await context.personalDatabase.query(
        """
        DELETE FROM responders
        WHERE id = \(id)::uuid AND (user_id = \(context.person) OR responder_id = \(context.person)) RETURNING id
        """
    )
    guard !rows.isEmpty else { throw APIError.notFound }
    return .success
}
