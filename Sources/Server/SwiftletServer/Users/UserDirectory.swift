import SwiftletPostgres
import SwiftletSignIn

/// The accounts of a database, for an administrator.
struct UserDirectory {
    let tables: UserTables

    /// Connects to the database. Throws ``CommandFailure`` if it lacks the tables.
    init(_ url: String) throws { tables = try UserTables(url) }

    /// Creates an account, and the row in `public.users` unless there is one; returns the account's id.
    func add(_ user: NewUser) throws -> String { try UserInsertion(tables: tables).insert(user) }

    /// Sets the hash, ends all sessions, revokes one-time tokens and codes of
    /// followed links, and resets failed attempts.
    func setPassword(_ hash: String, of name: AccountName) throws {
        try tables.inTransaction {
            let id = try account(name)
            try tables.query(
                "UPDATE auth.users SET encrypted_password = $1, updated_at = now() WHERE id = $2::uuid",
                [hash, id]
            )
            try endSessions(id)
            try revokeOneTimeTokens(id)
            try revokeCodes(id)
            try tables.query(
                """
                DELETE FROM swiftlet.login_attempts USING (
                    SELECT unnest(ARRAY[lower(email), phone]) AS name FROM auth.users WHERE id = $1::uuid
                ) AS account
                WHERE subject = 'account ' || name OR starts_with(subject, 'account ' || name || ' at ')
                """,
                [id]
            )
        }
    }

    /// Sets `banned_until`, to a hundred years as GoTrue does, and `is_active` in `public.users`.
    func setEnabled(_ isEnabled: Bool, of name: AccountName) throws {
        try tables.inTransaction {
            let id = try account(name)
            try tables.query(
                """
                UPDATE auth.users SET updated_at = now(),
                    banned_until = CASE WHEN $1::boolean THEN NULL ELSE now() + interval '100 years' END
                WHERE id = $2::uuid
                """,
                [isEnabled ? "true" : "false", id]
            )
            if tables.hasPeople, tables.has("public.users", "is_active") {
                try tables.query(
                    "UPDATE public.users SET is_active = $1::boolean WHERE id::text = $2 OR lower(email) = $3",
                    [isEnabled ? "true" : "false", id, name.address]
                )
            }
            if !isEnabled { try endSessions(id) }
            try listAsEnded(id, isEnded: !isEnabled)
        }
    }

    /// Ends all sessions, also where access tokens have not run out, and returns how many there were.
    func signOut(_ name: AccountName) throws -> Int {
        try tables.inTransaction {
            let id = try account(name)
            // A session that is being opened waits for it, by its foreign key.
            try tables.query("SELECT FROM auth.users WHERE id = $1::uuid FOR UPDATE", [id])
            let sessions = try tables.query("SELECT id FROM auth.sessions WHERE user_id = $1::uuid", [id])
            try endSessions(id)
            try revokeCodes(id)
            return sessions.count
        }
    }

    /// Has the account's access tokens refused by all servers, or taken again.
    private func listAsEnded(_ id: String, isEnded: Bool) throws {
        guard tables.has("swiftlet.ended_tokens") else { return }
        try tables.query(
            isEnded
                ? """
                INSERT INTO swiftlet.ended_tokens (owner_id, kept_until) VALUES ($1::uuid, now() + interval '7 days')
                ON CONFLICT (owner_id) DO UPDATE SET ended_at = excluded.ended_at, kept_until = excluded.kept_until
                """
                : "DELETE FROM swiftlet.ended_tokens WHERE owner_id = $1::uuid",
            [id]
        )
        try tables.query("SELECT pg_notify('\(EndedTokenSQL.channel)', 'all')")
    }

    private func endSessions(_ id: String) throws {
        if tables.has("swiftlet.ended_tokens") {
            try tables.query(
                """
                INSERT INTO swiftlet.ended_tokens (owner_id, kept_until)
                SELECT id, now() + interval '7 days' FROM auth.sessions WHERE user_id = $1::uuid
                ON CONFLICT DO NOTHING
                """,
                [id]
            )
            try tables.query("SELECT pg_notify('\(EndedTokenSQL.channel)', '')")
        }
        try tables.query("DELETE FROM auth.sessions WHERE user_id = $1::uuid", [id])
        try tables.query("DELETE FROM auth.refresh_tokens WHERE user_id = $1", [id])
    }

    /// Revokes links and codes that were sent by mail, and a pending change of the address.
    private func revokeOneTimeTokens(_ id: String) throws {
        for column in AccountStatements.tokenColumns where tables.has("auth.users", column) {
            try tables.query("UPDATE auth.users SET \(column) = '' WHERE id = $1::uuid", [id])
        }
        guard tables.has("auth.one_time_tokens") else { return }
        try tables.query("DELETE FROM auth.one_time_tokens WHERE user_id = $1::uuid", [id])
    }

    /// Revokes the codes of links that have been followed. Where the table is
    /// closed to this role, the server issues none.
    private func revokeCodes(_ id: String) throws {
        guard tables.has("auth.flow_state") else { return }
        let isOpen = try tables.query(
            """
            SELECT 1 WHERE has_table_privilege('auth.flow_state', 'SELECT')
                AND has_table_privilege('auth.flow_state', 'DELETE')
            """
        )
        guard !isOpen.isEmpty else { return }
        try tables.query("DELETE FROM auth.flow_state WHERE user_id = $1::uuid", [id])
    }

    func account(_ name: AccountName) throws -> String {
        guard let id = try tables.accounts(name).first else {
            if case .id = name { throw CommandFailure("no account has the id \(name)") }
            throw CommandFailure("\(name) has no account; make one with: swiftlet users add \(name)")
        }
        return id
    }

    /// Moves what belongs to one account to another, and deletes the first; without `commits` it only tells.
    func merge(_ from: AccountName, into: AccountName, commits: Bool, leavesRows: Bool) throws -> MergeReport {
        try tables.inTransaction(commits: commits) {
            let (old, new) = (try account(from), try account(into))
            guard old != new else { throw CommandFailure("\(from) and \(into) are one account already") }
            var merge = UserMerge(tables, from: old, into: new)
            let report = try merge.run { id in
                try endSessions(id)
                try listAsEnded(id, isEnded: true)
                try revokeCodes(id)
            }
            guard !commits || leavesRows || report.conflicts.isEmpty else {
                throw CommandFailure(
                    (report.lines + ["--leave-rows merges the accounts all the same"]).joined(separator: "\n")
                )
            }
            return report
        }
    }
}
