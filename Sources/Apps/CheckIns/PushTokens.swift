public import Swiftlet

/// The devices that the caller's messages go to.
public let pushTokens = Function("push-tokens") {
    Get(list).forPersons().answering(.object(["data": .list(device), "total": .integer]))
    Post(register).forPersons()
        .taking(
            .object([
                "token": .text(upTo: 4096), "platform": .words("ios", "android"),
                "environment": .words("production", "sandbox").optional, "app": .text(upTo: 255),
            ])
        )
        .answering(.created, device)
        .refusing(.notFound)
    Delete("/:token", remove).forPersons().answering(.success)
}

private let device = JSONSchema.object([
    "token": .text, "platform": .words("ios", "android"), "environment": .words("production", "sandbox"), "app": .text,
    "registeredAt": .timestamp,
])

private let columns: SQL = #"token, platform, environment, app, registered_at AS "registeredAt""#

/// Lists the devices of the caller.
private func list(_ request: Request, _ context: Context) async throws -> Response {
    try .list(
        await context.personalDatabase.query(
            "SELECT \(columns) FROM push_tokens WHERE user_id = \(context.person) ORDER BY registered_at, token"
        )
    )
}

/// How many devices a person can have; the oldest registrations give way to new ones.
private let maximumDevices = 20

/// Registers a device. It belongs to whoever has registered it last, until the session ends in which that was done.
private func register(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try context.person
    var fields = try BodyFields(request)
    let written = fields.text("token", upTo: 4096)
    let platform = fields.word("platform", of: ["ios", "android"])
    let environment = fields.word("environment", of: ["production", "sandbox"], default: "production")
    let app = fields.text("app", upTo: 255)
    let token = spelling(of: written, platform)
    if token.utf8.count > 2000 { fields.fault("token", "must have at most 2000 bytes") }
    try fields.finish()
    let session = try context.user.claims["session_id"]?.string
    let rows = try await context.personalDatabase.query(
        """
        INSERT INTO push_tokens (token, user_id, platform, environment, app, session_id)
        VALUES (\(token), \(caller), \(platform), \(environment), \(app), \(session))
        ON CONFLICT (token) DO UPDATE SET user_id = excluded.user_id, platform = excluded.platform,
            environment = excluded.environment, app = excluded.app, registered_at = excluded.registered_at,
            session_id = excluded.session_id
        RETURNING \(columns)
        """
    )
    guard let row = rows.first else { throw APIError.notFound }
    try await context.personalDatabase.query(
        """
        DELETE FROM push_tokens WHERE user_id = \(caller) AND token IN (
            SELECT token FROM push_tokens WHERE user_id = \(caller)
            ORDER BY registered_at DESC, token OFFSET \(maximumDevices)
        )
        """
    )
    return .json(.created, .object(try row.json()))
}

/// Apple's tokens are bytes, which apps write in capitals, with blanks or as `<00fc 13ad>`. Google's are texts.
private func spelling(of token: String, _ platform: String) -> String {
    guard platform == "ios" else { return token }
    let digits = token.filter { !$0.isWhitespace && $0 != "<" && $0 != ">" }
    return !digits.isEmpty && digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) ? digits.lowercased() : token
}

/// Forgets a device.
private func remove(_ request: Request, _ context: Context) async throws -> Response {
    let token = context.parameters["token"]
    guard !token.utf8.contains(0) else { throw APIError.notFound }
    let rows = try await context.personalDatabase.query(
        """
        DELETE FROM push_tokens WHERE user_id = \(context.person)
            AND (token = \(token) OR platform = 'ios' AND token = \(spelling(of: token, "ios"))) RETURNING token
        """
    )
    guard !rows.isEmpty else { throw APIError.notFound }
    return .success
}
