import SwiftletAuth
import SwiftletBlockingPool
package import SwiftletPostgres
import SwiftletWeb

/// The sessions of operators, and the two ways to begin one: a link that works once, and a password.
package struct Sessions: Sendable {
    let database: Database
    /// Apart from what the app's functions offload, as anybody may try a password.
    private let hashing = BlockingPool("console", width: 1, depth: 32)

    package init(database: Database) { self.database = database }

    static let maximumAttempts = 5
    static let minimumPasswordLength = 12

    struct Origin: Sendable {
        let address: String
        let agent: String?
    }

    /// Begins a session by a link and returns its token. Throws ``ConsoleError`` if the link is used up or expired.
    func enter(_ text: String, _ origin: Origin) async throws -> String {
        let hash = try EntryToken.hash(text)
        let rows = try await database.query(
            """
            UPDATE swiftlet.console_entries SET used_at = clock_timestamp()
            WHERE token_hash = \(hash) AND used_at IS NULL AND expires_at > clock_timestamp() RETURNING role
            """
        )
        if let role = rows.first?["role"] { return try await begin("link", role, origin) }
        let known = try await database.query(
            "SELECT used_at IS NOT NULL AS used FROM swiftlet.console_entries WHERE token_hash = \(hash)"
        )
        guard let known = known.first else { throw ConsoleError.entry("This link is not known.") }
        throw ConsoleError.entry(known["used"] == "t" ? "This link is used up." : "This link has expired.")
    }

    /// Begins a session of an operator and returns its token. Five wrong passwords lock for ten minutes.
    ///
    /// Each attempt is counted before its password is checked, so that no more of them can be under way at once.
    func signIn(_ name: String, _ password: String, _ origin: Origin) async throws -> String {
        let rows = try await database.query(
            """
            UPDATE swiftlet.console_operators SET failed_attempts = (failed_attempts + 1) % \(Self.maximumAttempts),
                locked_until = CASE WHEN failed_attempts + 1 >= \(Self.maximumAttempts)
                    THEN clock_timestamp() + interval '10 minutes' ELSE locked_until END
            WHERE name = \(name) AND coalesce(locked_until < clock_timestamp(), true)
            RETURNING name, role, password_hash
            """
        )
        if rows.isEmpty, try await isLocked(name) {
            throw ConsoleError(429, "LOCKED", "Too many wrong passwords. Try again in ten minutes.")
        }
        let stored = rows.first?["password_hash"]
        let hash = if let stored { stored } else { try PasswordHash.dummy(cost: 10) }
        let isValid = try await hashing.run(for: origin.address) { PasswordHash.isValid(password, for: hash) }
        guard let row = rows.first, isValid, let name = row["name"], let role = row["role"] else {
            throw ConsoleError(401, "WRONG_PASSWORD", "The name or the password is wrong.")
        }
        try await database.query(
            "UPDATE swiftlet.console_operators SET failed_attempts = 0, locked_until = NULL WHERE name = \(name)"
        )
        return try await begin(name, role, origin)
    }

    private func isLocked(_ name: String) async throws -> Bool {
        let rows = try await database.query(
            "SELECT FROM swiftlet.console_operators WHERE name = \(name) AND locked_until >= clock_timestamp()"
        )
        return !rows.isEmpty
    }

    /// Who the token belongs to: for twelve hours, and thirty minutes after the last request of a person. What a page asks
    /// by itself keeps no session alive.
    func find(_ token: String, isByItself: Bool) async throws -> Operator? {
        let rows = try await database.query(
            """
            UPDATE swiftlet.console_sessions
            SET seen_at = CASE WHEN \(isByItself) THEN seen_at ELSE clock_timestamp() END
            WHERE token_hash = \(try EntryToken.hash(token)) AND expires_at > clock_timestamp()
                AND seen_at > clock_timestamp() - interval '30 minutes'
            RETURNING id, operator, role
            """
        )
        guard let row = rows.first, let role = row["role"].flatMap(Operator.Role.init) else { return nil }
        return Operator(
            session: try row.decode(Int.self, "id"),
            name: try row.decode(String.self, "operator"),
            role: role
        )
    }

    func end(_ session: Int) async throws {
        try await database.query("DELETE FROM swiftlet.console_sessions WHERE id = \(session)")
    }

    /// Ends all sessions of the name.
    func endAll(of name: String) async throws {
        try await database.query("DELETE FROM swiftlet.console_sessions WHERE operator = \(name)")
    }

    /// Adds an operator, or changes one: their sessions end.
    package func setOperator(_ name: String, role: Operator.Role, passwordHash: String) async throws {
        try await database.query(
            """
            INSERT INTO swiftlet.console_operators (name, role, password_hash)
            VALUES (\(name), \(role.rawValue), \(passwordHash))
            ON CONFLICT (name) DO UPDATE SET role = EXCLUDED.role, password_hash = EXCLUDED.password_hash,
                failed_attempts = 0, locked_until = NULL
            """
        )
        try await endAll(of: name)
    }

    /// Ends their sessions. False if there is no such operator.
    func setRole(_ role: Operator.Role, of name: String) async throws -> Bool {
        let rows = try await database.query(
            "UPDATE swiftlet.console_operators SET role = \(role.rawValue) WHERE name = \(name) RETURNING name"
        )
        try await endAll(of: name)
        return !rows.isEmpty
    }

    package func operators() async throws -> [(name: String, role: String)] {
        try await database.query("SELECT name, role FROM swiftlet.console_operators ORDER BY name").map { row in
            (row["name"] ?? "", row["role"] ?? "")
        }
    }

    /// Throws ``ConsoleError`` that says what a name and a password must be.
    package static func check(_ name: String, _ password: String) throws(ConsoleError) {
        guard (3...100).contains(name.count), name != "link" else { throw .bad("The name has 3 to 100 letters.") }
        guard password.count >= minimumPasswordLength, password.utf8.count <= PasswordHash.maximumBytes else {
            throw .bad("The password has at least \(minimumPasswordLength) letters, and at most 72 bytes.")
        }
    }

    /// False if there is no such operator.
    package func removeOperator(_ name: String) async throws -> Bool {
        let rows = try await database.query(
            "DELETE FROM swiftlet.console_operators WHERE name = \(name) RETURNING name"
        )
        try await endAll(of: name)
        return !rows.isEmpty
    }

    private func begin(_ name: String, _ role: String, _ origin: Origin) async throws -> String {
        let token = try EntryToken.make(bytes: 32)
        try await database.query("DELETE FROM swiftlet.console_sessions WHERE expires_at < clock_timestamp()")
        try await database.query(
            """
            INSERT INTO swiftlet.console_sessions (token_hash, operator, role, address, agent, expires_at)
            VALUES (\(try token.hash), \(name), \(role), \(origin.address), \(origin.agent.map { String($0.prefix(200)) }),
                clock_timestamp() + interval '12 hours')
            """
        )
        return token.text
    }
}
