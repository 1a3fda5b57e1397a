import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Configuration, doctor, operators, audit.
struct SettingPages: Sendable {
    let database: ConsoleDatabase
    let sessions: Sessions
    let settings: ConsoleSettings

    func home(_ asked: ConsoleRequest) async throws -> Response {
        let facts = JSONValue.object(settings.facts).description
        return try await database.read { transaction in
            let numbers = try await transaction.json(
                """
                SELECT json_build_object('database', current_database(), 'postgres', current_setting('server_version'),
                    'bytes', pg_database_size(current_database()),
                    'tables', (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                        WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public' AND c.relname NOT LIKE 'swiftlet\\_%'),
                    'users', (SELECT CASE WHEN c.n > 10000 THEN greatest(c.n, (SELECT reltuples FROM pg_class
                            WHERE oid = to_regclass('auth.users')))::bigint ELSE c.n END
                        FROM (SELECT count(*) AS n FROM (SELECT FROM auth.users LIMIT 10001) u) c),
                    'newUsers', (SELECT count(*) FROM (SELECT FROM auth.users WHERE created_at > now() - interval '7 days'
                        LIMIT 10001) u),
                    'failedJobs', (SELECT count(*) FROM swiftlet.job_history
                        WHERE state = 'failed' AND finished_at > now() - interval '1 hour'),
                    'waitingJobs', (SELECT count(*) FROM swiftlet.jobs),
                    'withoutPolicies', (SELECT coalesce(json_agg(c.relname ORDER BY c.relname), '[]') FROM pg_class c
                        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
                        AND NOT c.relrowsecurity AND NOT c.relispartition
                        AND has_table_privilege((SELECT oid FROM pg_roles WHERE rolname = 'authenticated'), c.oid, 'SELECT')))
                """
            )
            return .text(#"{"numbers":\#(numbers),"facts":\#(facts)}"#)
        }
    }

    func configuration(_ asked: ConsoleRequest) async throws -> Response {
        let findings = await settings.examine()
        return .json { json in
            json.beginObject()
            json.key("configuration")
            json.beginArray()
            for (name, value, standard) in settings.configuration {
                json.object { json in
                    json.member("name", name)
                    json.member("value", value)
                    json.member("standard", standard)
                }
            }
            json.endArray()
            json.key("findings")
            json.beginArray()
            for finding in findings {
                json.object { json in
                    json.member("grade", finding.grade)
                    json.member("subject", finding.subject)
                    json.member("text", finding.text)
                }
            }
            json.endArray()
            json.endObject()
        }
    }

    /// What has been applied, newest first.
    func migrations(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { .text(try await $0.json(Self.applied)) }
    }

    private static let applied: SQL = """
        SELECT coalesce(json_agg(m ORDER BY m.applied_at DESC, m.name DESC), '[]') FROM (
            SELECT owner, name, applied_at FROM swiftlet.migrations
        ) m
        """

    /// The newest entries, or those before a number.
    func audit(_ asked: ConsoleRequest) async throws -> Response {
        let before = asked.request.query["before"].flatMap { Int($0) } ?? Int.max
        let showsValues = asked.role > .viewer
        return try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT coalesce(json_agg(a ORDER BY a.id DESC), '[]') FROM (
                        SELECT id, at, operator, address, request_id, action, object, statement,
                            CASE WHEN \(showsValues) THEN before END AS before,
                            CASE WHEN \(showsValues) THEN after END AS after
                        FROM swiftlet.console_audit WHERE id < \(before) ORDER BY id DESC LIMIT 100
                    ) a
                    """
                )
            )
        }
    }

    func operators(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT json_build_object(
                        'operators', (SELECT coalesce(json_agg(json_build_object('name', name, 'role', role,
                            'created_at', created_at, 'locked', locked_until > now()) ORDER BY name), '[]')
                            FROM swiftlet.console_operators),
                        'sessions', (SELECT coalesce(json_agg(json_build_object('id', id, 'operator', operator,
                            'role', role, 'address', address, 'agent', agent, 'seen_at', seen_at,
                            'own', id = \(asked.visitor.session)) ORDER BY seen_at DESC), '[]')
                            FROM swiftlet.console_sessions WHERE expires_at > now()))
                    """
                )
            )
        }
    }

    /// `{"action": "set" | "remove" | "end session" | "sign out everywhere", …}`
    func changeOperators(_ asked: ConsoleRequest) async throws -> Response {
        let body = try asked.body()
        let action = body["action"]?.string ?? ""
        if action != "sign out everywhere" { try asked.require(.owner) }
        let name = action == "sign out everywhere" ? asked.visitor.name : body["name"]?.string ?? ""
        let before = try await state(name)
        var object = name
        switch action {
        case "sign out everywhere": try await sessions.endAll(of: name)
        case "end session":
            guard let id = body["id"]?.int else { throw ConsoleError.bad("Which session?") }
            object = "session \(id)"
            try await sessions.end(id)
        case "remove": guard try await sessions.removeOperator(name) else { throw ConsoleError.notFound }
        case "set": try await set(name, body, asked)
        default: throw ConsoleError.bad("What is to be done?")
        }
        let entry = OperatorAction(
            action: "operator: \(action)",
            object: object,
            before: before,
            after: try await state(name)
        )
        return .done(try await database.write { try await entry.write(asked, in: $0) })
    }

    private func set(_ name: String, _ body: JSONObject, _ asked: ConsoleRequest) async throws {
        guard let role = Operator.Role(rawValue: body["role"]?.string ?? "") else {
            throw ConsoleError.bad("The role is viewer, editor or owner.")
        }
        guard let password = body["password"]?.string, !password.isEmpty else {
            guard try await sessions.setRole(role, of: name) else { throw ConsoleError.bad("A password is needed.") }
            return
        }
        try Sessions.check(name, password)
        let hash = try await asked.context.offload { try PasswordHash.make(password, cost: 10) }
        try await sessions.setOperator(name, role: role, passwordHash: hash)
    }

    /// The operator's role and number of sessions; nil if there is none of the name.
    private func state(_ name: String) async throws -> String? {
        let row = try await database.read { transaction in
            try await transaction.json(
                """
                SELECT json_build_object('name', name, 'role', role, 'sessions',
                    (SELECT count(*) FROM swiftlet.console_sessions s WHERE s.operator = o.name))
                FROM swiftlet.console_operators o WHERE name = \(name)
                """
            )
        }
        return row == "null" ? nil : row
    }
}
