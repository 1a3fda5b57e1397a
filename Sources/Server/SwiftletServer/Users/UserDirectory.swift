import SwiftletPostgres
import SwiftletSignIn

/// The accounts of a database, for an administrator.
struct UserDirectory {
    private let tables: UserTables

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
            if tables.has("public.users", "is_active") {
                try tables.query(
                    "UPDATE public.users SET is_active = $1::boolean WHERE id::text = $2 OR lower(email) = $3",
                    [isEnabled ? "true" : "false", id, name.address]
                )
            }
            if !isEnabled { try endSessions(id) }
            try listAsEnded(id, isEnded: !isEnabled)
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

    private func account(_ name: AccountName) throws -> String {
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

    /// Rows of a name and its value.
    func show(_ name: AccountName) throws -> [[String]] {
        let id = try account(name)
        var rows = try tables.query(
            """
            SELECT part.name, part.value FROM auth.users AS u, LATERAL (VALUES
                ('id', u.id::text), ('address', nullif(u.email, '')), ('address confirmed', u.email_confirmed_at::text),
                ('phone', '+' || nullif(u.phone, '')), ('phone confirmed', u.phone_confirmed_at::text),
                ('password', CASE WHEN u.encrypted_password <> '' THEN 'set' END), ('role', u.role),
                ('disabled until', CASE WHEN u.banned_until > now() THEN u.banned_until::text END),
                ('created', u.created_at::text), ('last sign-in', u.last_sign_in_at::text),
                ('app metadata', u.raw_app_meta_data::text), ('user metadata', u.raw_user_meta_data::text)
            ) AS part (name, value) WHERE u.id = $1::uuid
            """,
            [id]
        )
        rows += try tables.query(
            """
            SELECT 'sign-in by ' || provider, coalesce(identity_data ->> 'email', '+' || (identity_data ->> 'phone'),
                identity_data ->> 'sub') FROM auth.identities WHERE user_id = $1::uuid ORDER BY provider
            """,
            [id]
        )
        if tables.has("auth.mfa_factors", "friendly_name") {
            rows += try tables.query(
                """
                SELECT 'factor ' || factor_type, concat_ws(' ', status, nullif(friendly_name, ''), id)
                FROM auth.mfa_factors WHERE user_id = $1::uuid ORDER BY created_at
                """,
                [id]
            )
        }
        if tables.has("auth.webauthn_credentials", "friendly_name") {
            rows += try tables.query(
                """
                SELECT 'passkey', concat_ws(' ', nullif(friendly_name, ''), id)
                FROM auth.webauthn_credentials WHERE user_id = $1::uuid ORDER BY created_at
                """,
                [id]
            )
        }
        rows += try tables.query(
            """
            SELECT 'session', concat_ws(' ', to_jsonb(s) ->> 'created_at', to_jsonb(s) ->> 'ip', to_jsonb(s) ->> 'user_agent')
            FROM auth.sessions AS s WHERE user_id = $1::uuid ORDER BY created_at DESC LIMIT 20
            """,
            [id]
        )
        return rows.filter { $0[1] != nil }.map { row in row.map { $0 ?? "-" } }
    }

    /// Rows of address or number, state, tenant, role level, last sign-in, id; by address.
    func list(tenant: String?, limit: Int) throws -> [[String]] {
        let deleted: StaticString =
            tables.has("auth.users", "deleted_at") ? " AND account.deleted_at IS NULL" : ""
        return try tables.query(
            """
            SELECT coalesce(nullif(account.email, ''), '+' || nullif(account.phone, ''), '-'),
                CASE WHEN account.banned_until > now() THEN 'disabled'
                    WHEN coalesce(account.email_confirmed_at, account.phone_confirmed_at) IS NULL
                        THEN 'unconfirmed' ELSE 'active' END,
                coalesce(place.tenant, '-'), coalesce(place.level, '-'),
                coalesce(to_char(account.last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'never'),
                account.id
            FROM auth.users AS account
                LEFT JOIN public.users AS person ON person.id::text = account.id::text
                LEFT JOIN public.roles AS role ON role.id::text = person.role_id::text,
                LATERAL (
                    SELECT coalesce(
                        person.tenant_id::text, account.raw_app_meta_data ->> 'tenant_id',
                        account.raw_app_meta_data ->> 'tenantId'
                    ) AS tenant,
                    coalesce(
                        role.level::text, account.raw_app_meta_data ->> 'role_level',
                        account.raw_app_meta_data ->> 'roleLevel'
                    ) AS level
                ) AS place
            WHERE ($1::text IS NULL OR place.tenant = $1)\(deleted)
            ORDER BY 1, account.id LIMIT $2
            """,
            [tenant, String(limit)]
        ).map { row in row.map { $0 ?? "-" } }
    }
}
