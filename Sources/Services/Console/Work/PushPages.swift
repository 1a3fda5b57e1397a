import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Push messages: which devices have registered, what has become of messages, and a trial.
///
/// The tables are an app's. They are known by their columns, whatever they are called.
struct PushPages: Sendable {
    let database: ConsoleDatabase
    let settings: ConsoleSettings

    private static let registrations = ["token", "platform", "user_id", "environment", "app", "registered_at"]
    private static let messages = ["id", "title", "body", "status", "attempts", "last_error", "created_at"]
    private static let maximumTextCharacters = 1_000

    /// Registrations by platform and the newest of them; messages by status and the newest of one.
    func list(_ asked: ConsoleRequest) async throws -> Response {
        let status = asked.request.query["status"] ?? ""
        let isViewer = asked.role == .viewer
        return try await database.read { transaction in
            let devices = try await Self.table(Self.registrations, transaction)
            let outbox = try await Self.table(Self.messages, transaction)
            var answer: JSONObject = ["sends": .bool(settings.sendPush != nil)]
            if let devices {
                answer["registrations"] = try await Self.read(transaction, devices) { builder, table in
                    builder.add("'counts', (SELECT coalesce(json_object_agg(platform, n), '{}') FROM ")
                    builder.add("(SELECT platform, count(*) AS n FROM ")
                    table(&builder)
                    builder.add(" GROUP BY platform) c), 'rows', (SELECT coalesce(json_agg(r), '[]') FROM (SELECT ")
                    builder.add(isViewer ? "'•••' AS token" : "token")
                    builder.add(", left(token, 12) AS label, platform, environment, app, user_id, registered_at, ")
                    builder.add("(SELECT email FROM auth.users WHERE id::text = user_id::text) AS email FROM ")
                    table(&builder)
                    builder.add(" ORDER BY registered_at DESC LIMIT 100) r)")
                }
            }
            if let outbox {
                answer["messages"] = try await Self.read(transaction, outbox) { builder, table in
                    builder.add("'counts', (SELECT coalesce(json_object_agg(status, n), '{}') FROM ")
                    builder.add("(SELECT status, count(*) AS n FROM ")
                    table(&builder)
                    builder.add(" GROUP BY status) c), 'rows', (SELECT coalesce(json_agg(r), '[]') FROM ")
                    builder.add(
                        "(SELECT id, title, left(body, 200) AS body, status, attempts, last_error, created_at FROM "
                    )
                    table(&builder)
                    builder.add(" WHERE ")
                    builder.bind(status)
                    builder.add("::text = '' OR status::text = ")
                    builder.bind(status)
                    builder.add("::text ORDER BY created_at DESC LIMIT 100) r)")
                }
            }
            return .json(.object(answer))
        }
    }

    /// `{"token", "platform", "environment", "app", "title", "body"}`: sends one message now, and says what the service
    /// has answered.
    func send(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let body = try asked.body()
        guard let sendPush = settings.sendPush else {
            throw ConsoleError.bad("Nobody delivers push messages here: set PUSH=real, or PUSH=log.")
        }
        func text(_ name: String, most: Int = Self.maximumTextCharacters) throws(ConsoleError) -> String {
            let text = body[name]?.string ?? ""
            guard text.count <= most, !text.utf8.contains(0) else { throw .bad("\(name) is too long.") }
            return text
        }
        let trial = PushTrial(
            token: try text("token", most: 4_096),
            platform: try text("platform"),
            environment: try text("environment"),
            app: try text("app"),
            title: try text("title"),
            body: try text("body")
        )
        guard !trial.token.isEmpty, !trial.title.isEmpty else {
            throw ConsoleError.bad("A token and a title are needed.")
        }
        guard ["ios", "android"].contains(trial.platform) else {
            throw ConsoleError.bad("The platform is ios or android.")
        }
        let outcome = await sendPush(trial)
        let after: JSONObject = [
            "title": .string(trial.title), "body": .string(trial.body), "accepted": .bool(outcome.isAccepted),
            "answer": .string(outcome.answer),
        ]
        let number = try await database.write { transaction in
            try await OperatorAction(
                action: "send push",
                object: "\(trial.platform) \(trial.token.prefix(12))…",
                after: JSONValue.object(after).description
            )
            .write(asked, in: transaction)
        }
        return .json([
            "accepted": .bool(outcome.isAccepted), "answer": .string(outcome.answer),
            "audit": .number(JSONNumber(number)),
        ])
    }

    /// The table in `public` that has all these columns; the first by name if there are several.
    private static func table(_ columns: [String], _ transaction: Transaction) async throws -> ConsoleTable? {
        var builder = StatementBuilder("SELECT c.relname AS name FROM pg_class c ")
        builder.add("WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND ")
        builder.bind(columns)
        builder.add("::text[] <@ (SELECT array_agg(a.attname::text) FROM pg_attribute a ")
        builder.add("WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) ORDER BY 1 LIMIT 1")
        guard let name = try await transaction.run(builder).first?["name"] else { return nil }
        return try await ConsoleTable.find("public", name, in: transaction)
    }

    private static func read(
        _ transaction: Transaction,
        _ table: ConsoleTable,
        _ members: (inout StatementBuilder, (inout StatementBuilder) -> Void) -> Void
    ) async throws -> JSONValue {
        var builder = StatementBuilder("SELECT json_build_object('table', ")
        builder.bind(table.name)
        builder.add("::text, ")
        members(&builder) { table.add(to: &$0) }
        builder.add(")")
        return try JSONParser.parse(Array(try await transaction.json(builder).utf8))
    }
}
