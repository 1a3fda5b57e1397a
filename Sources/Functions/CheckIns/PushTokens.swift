public import Swiftlet

/// The devices that the caller's messages go to.
public let pushTokens = Function("push-tokens") {
    get(list).forPersons().answering(.object(["data": .list(device), "total": .integer]))
    post(register).forPersons()
        .taking(
            .object([
                "token": .text(upTo: 4096), "platform": .words("ios", "android"),
                "environment": .words("production", "sandbox").optional, "app": .text(upTo: 255),
            ])
        )
        .answering(.created, device)
        .refusing(.notFound)
    delete("/:token", remove).forPersons().answering(.success)
}

private let device = ValueShape.object([
    "token": .text, "platform": .words("ios", "android"), "environment": .words("production", "sandbox"), "app": .text,
    "registeredAt": .timestamp,
])

private let columns: SQL = #"token, platform, environment, app, registered_at AS "registeredAt""#

private func list(_ request: Request, _ context: Context) async throws -> Response {
    try .list(
        await context.personalDatabase.query(
            "SELECT \(columns) FROM push_tokens WHERE user_id = \(context.person) ORDER BY registered_at, token"
        )
    )
}

/// A device belongs to whoever has registered it last.
private func register(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try context.person
    var fields = try BodyFields(request)
    let token = fields.text("token", upTo: 4096)
    let platform = fields.word("platform", of: ["ios", "android"])
    let environment = fields.word("environment", of: ["production", "sandbox"], default: "production")
    let app = fields.text("app", upTo: 255)
    if token.utf8.count > 2000 { fields.fault("token", "must have at most 2000 bytes") }
    try fields.finish()
    let rows = try await context.personalDatabase.query(
        """
        INSERT INTO push_tokens (token, user_id, platform, environment, app)
        VALUES (\(token), \(caller), \(platform), \(environment), \(app))
        ON CONFLICT (token) DO UPDATE SET user_id = excluded.user_id, platform = excluded.platform,
            environment = excluded.environment, app = excluded.app, registered_at = excluded.registered_at
        RETURNING \(columns)
        """
    )
    guard let row = rows.first else { throw APIError.notFound }
    return .json(.created, .object(try row.json()))
}

private func remove(_ request: Request, _ context: Context) async throws -> Response {
    let token = context.parameters["token"]
    guard !token.utf8.contains(0) else { throw APIError.notFound }
    let rows = try await context.personalDatabase.query(
        "DELETE FROM push_tokens WHERE token = \(token) AND user_id = \(context.person) RETURNING token"
    )
    guard !rows.isEmpty else { throw APIError.notFound }
    return .success
}
