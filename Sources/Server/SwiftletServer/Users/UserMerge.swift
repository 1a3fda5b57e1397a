import SwiftletPostgres
import SwiftletSignIn

/// A row of `auth.users`, by names of its own.
typealias MergedAccount = [String: String]

extension MergedAccount {
    var isConfirmed: Bool { self["email_confirmed"] != nil || self["phone_confirmed"] != nil }
}

/// The merging of two accounts of one person: what belongs to the first goes to the second, and the first is deleted.
/// To be run in a transaction.
struct UserMerge {
    let tables: UserTables
    let from: String
    let into: String
    var report = MergeReport()

    init(_ tables: UserTables, from: String, into: String) {
        self.tables = tables
        self.from = from
        self.into = into
    }

    /// `endTokens` ends the sessions of an account and has its tokens refused.
    mutating func run(endTokens: (String) throws -> Void) throws -> MergeReport {
        // Rows that a policy hides would be deleted unseen with the account.
        try tables.query("SET LOCAL row_security = off")
        let (old, new) = try lock()
        try check(old, new)
        let hasPeople = try comparePeople()
        if hasPeople { try moveReferences(to: "public.users") }
        try moveReferences(to: "auth.users")
        try moveFiles()
        try moveWork()
        if try isProven(old) { try moveFactors() } else { try giveUpFactors() }
        try moveIdentities(old, new)
        try endTokens(from)
        try writeAudit(old)
        if hasPeople { try tables.query("DELETE FROM public.users WHERE id::text = $1", [from]) }
        try tables.query("DELETE FROM auth.users WHERE id = $1::uuid", [from])
        try takeOver(old, new)
        // What is checked at the end of a transaction fails in a rehearsal too.
        try tables.query("SET CONSTRAINTS ALL IMMEDIATE")
        return report
    }

    private func lock() throws -> (old: MergedAccount, new: MergedAccount) {
        var found: [String: MergedAccount] = [:]
        let isSSO: StaticString = tables.has("auth.users", "is_sso_user") ? "is_sso_user" : "false"
        let isAnonymous: StaticString = tables.has("auth.users", "is_anonymous") ? "is_anonymous" : "false"
        let deleted: StaticString = tables.has("auth.users", "deleted_at") ? "deleted_at" : "NULL"
        let names = [
            "id", "email", "phone", "email_confirmed", "phone_confirmed", "password", "banned", "role", "tenant",
        ]
        let rows = try tables.query(
            """
            SELECT id, nullif(email, ''), nullif(phone, ''), email_confirmed_at, phone_confirmed_at,
                nullif(encrypted_password, ''), CASE WHEN banned_until > now() THEN 'banned' END, role,
                coalesce(raw_app_meta_data ->> 'tenant_id', raw_app_meta_data ->> 'tenantId'),
                CASE WHEN \(isSSO) THEN 'sso' END, CASE WHEN \(isAnonymous) THEN 'anonymous' END, \(deleted)
            FROM auth.users WHERE id IN ($1::uuid, $2::uuid) ORDER BY id FOR UPDATE
            """,
            [from, into]
        )
        for row in rows {
            var account: MergedAccount = [:]
            for (name, value) in zip(names + ["sso", "anonymous", "deleted"], row) { account[name] = value }
            found[account["id"] ?? ""] = account
        }
        guard let old = found[from], let new = found[into] else { throw CommandFailure("the account is gone") }
        return (old, new)
    }

    private func check(_ old: MergedAccount, _ new: MergedAccount) throws {
        for account in [old, new] {
            let id = account["id"] ?? ""
            if account["deleted"] != nil { throw CommandFailure("\(id) is deleted") }
            if account["sso"] != nil {
                throw CommandFailure("\(id) belongs to single sign-on, which would make it anew")
            }
            if account["banned"] != nil { throw CommandFailure("\(id) is disabled: enable it first, if that is right") }
        }
        guard old["role"] == new["role"] else { throw CommandFailure("the accounts have different roles") }
        // Whoever made it need not be the person who owns the address.
        guard new.isConfirmed else {
            throw CommandFailure(
                "\(into) has neither a confirmed address nor a confirmed number: merge the other way round, or confirm it"
            )
        }
        if let one = old["tenant"], let other = new["tenant"], one != other {
            throw CommandFailure("the accounts belong to the tenants \(one) and \(other)")
        }
    }

    /// Whether both have a row in `public.users`.
    private func comparePeople() throws -> Bool {
        guard tables.has("public.users", "tenant_id") else { return false }
        let rows = try tables.query(
            "SELECT id, tenant_id FROM public.users WHERE id::text IN ($1, $2) FOR UPDATE",
            [from, into]
        )
        guard let old = rows.first(where: { $0[0] == from }) else { return false }
        guard let new = rows.first(where: { $0[0] == into }) else {
            throw CommandFailure("\(from) has a row in public.users and \(into) has none: merge the other way round")
        }
        guard old[1] == new[1] else {
            throw CommandFailure("the accounts belong to the tenants \(old[1] ?? "-") and \(new[1] ?? "-")")
        }
        return true
    }

    private mutating func moveReferences(to table: String) throws {
        for reference in try AccountReference.all(to: table, tables) {
            let left = try reference.move(from, into, tables, &report)
            if left > 0 { report.conflicts.append((reference, left)) }
        }
    }

    /// Files and what else names the account without a foreign key.
    private mutating func moveFiles() throws {
        for (table, column, type) in [
            ("storage.objects", "owner_id", "text"), ("storage.objects", "owner", "uuid"),
            ("storage.buckets", "owner_id", "text"), ("storage.buckets", "owner", "uuid"),
            ("storage.swiftlet_uploads", "owner_id", "text"),
        ] {
            let isThere = try tables.query(
                "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped",
                [table, column]
            )
            guard !isThere.isEmpty else { continue }
            let moved = try tables.query(
                """
                WITH moved AS (UPDATE \(table) SET \(column) = $2::\(type) WHERE \(column) = $1::\(type) RETURNING 1)
                SELECT count(*) FROM moved
                """,
                [from, into]
            )
            report.add("\(table).\(column)", moved)
        }
        guard try !tables.query("SELECT 1 WHERE to_regclass('swiftlet.provider_grants') IS NOT NULL").isEmpty else {
            return
        }
        try tables.query(
            """
            UPDATE swiftlet.provider_grants AS g SET user_id = $2::uuid WHERE user_id = $1::uuid AND NOT EXISTS (
                SELECT FROM swiftlet.provider_grants AS o WHERE o.user_id = $2::uuid AND o.provider = g.provider
            )
            """,
            [from, into]
        )
    }

    /// Jobs and copies for offline use, which would else go with the account.
    private mutating func moveWork() throws {
        for (table, name) in [("swiftlet.jobs", "jobs"), ("swiftlet.job_history", "ended jobs")] where try has(table) {
            let moved = try tables.query(
                """
                WITH moved AS (
                    UPDATE \(table) SET caller = jsonb_set(caller::jsonb, '{sub}', to_jsonb($2::text))::text
                    WHERE caller::json ->> 'sub' = $1 RETURNING 1
                )
                SELECT count(*) FROM moved
                """,
                [from, into]
            )
            report.add(name, moved)
        }
        guard try has("swiftlet.sync_clients") else { return }
        try tables.query("UPDATE swiftlet.sync_clients SET user_id = $2 WHERE user_id = $1", [from, into])
    }

    func has(_ table: String) throws -> Bool {
        try !tables.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [table]).isEmpty
    }

    /// Identities of providers move; address and number move where the account has none.
    private mutating func moveIdentities(_ old: MergedAccount, _ new: MergedAccount) throws {
        for (kind, name) in [("email", "address"), ("phone", "number")] {
            guard let value = old[kind] else { continue }
            if new[kind] != nil {
                report.notes.append("the \(name) \(value) is given up: \(into) keeps its own")
            } else if old[kind + "_confirmed"] == nil {
                report.notes.append("the \(name) \(value) is given up: it was never confirmed")
            } else {
                report.notes.append("the \(name) \(value) moves")
                // Its key is the account's own id.
                let key: StaticString = tables.has("auth.identities", "provider_id") ? "provider_id" : "id"
                try tables.query(
                    """
                    UPDATE auth.identities SET user_id = $2::uuid, \(key) = $2,
                        identity_data = jsonb_set(identity_data, '{sub}', to_jsonb($2::text))
                    WHERE user_id = $1::uuid AND provider = $3 AND NOT EXISTS (
                        SELECT FROM auth.identities WHERE user_id = $2::uuid AND provider = $3
                    )
                    """,
                    [from, into, kind]
                )
            }
        }
        if new["password"] == nil, old["password"] != nil, !old.isConfirmed {
            report.notes.append(
                "the password is given up: neither an address nor a number of its account was confirmed"
            )
        }
        let moved = try tables.query(
            """
            WITH moved AS (
                UPDATE auth.identities SET user_id = $2::uuid
                WHERE user_id = $1::uuid AND provider NOT IN ('email', 'phone') RETURNING 1
            )
            SELECT count(*) FROM moved
            """,
            [from, into]
        )
        report.add("sign-in methods of providers", moved)
    }

    func move(_ table: StaticString) throws -> [[String?]] {
        try tables.query(
            """
            WITH moved AS (UPDATE \(table) SET user_id = $2::uuid WHERE user_id = $1::uuid RETURNING 1)
            SELECT count(*) FROM moved
            """,
            [from, into]
        )
    }

    /// After the other is gone, as address and number are unique.
    private func takeOver(_ old: MergedAccount, _ new: MergedAccount) throws {
        for (column, confirmed) in [("email", "email_confirmed"), ("phone", "phone_confirmed")] {
            guard new[column] == nil, let value = old[column], let time = old[confirmed] else { continue }
            try tables.query(
                "UPDATE auth.users SET \(column) = $1, \(confirmed)_at = $2::timestamptz WHERE id = $3::uuid",
                [value, time, into]
            )
        }
        if new["password"] == nil, old.isConfirmed, let password = old["password"] {
            try tables.query("UPDATE auth.users SET encrypted_password = $1 WHERE id = $2::uuid", [password, into])
        }
        let isAnonymous: StaticString = tables.has("auth.users", "is_anonymous") ? "is_anonymous = false," : ""
        try tables.query(
            """
            UPDATE auth.users SET \(isAnonymous) updated_at = now(),
                raw_app_meta_data = coalesce(raw_app_meta_data, '{}') || jsonb_build_object('providers', (
                    SELECT coalesce(jsonb_agg(DISTINCT provider), '[]') FROM auth.identities WHERE user_id = $1::uuid
                ))
            WHERE id = $1::uuid
            """,
            [into]
        )
    }

    private func writeAudit(_ old: MergedAccount) throws {
        guard tables.has("auth.audit_log_entries", "payload") else { return }
        try tables.query(
            """
            INSERT INTO auth.audit_log_entries (instance_id, id, created_at, payload)
            SELECT '00000000-0000-0000-0000-000000000000', gen_random_uuid(), now(), json_build_object(
                'action', 'user_modified', 'actor_id', u.id, 'actor_username', 'swiftlet users merge',
                'actor_via_sso', false, 'log_type', 'user', 'traits', json_strip_nulls(json_build_object(
                    'merged_id', $1::text, 'merged_email', $2::text, 'merged_phone', $3::text
                ))
            ) FROM auth.users AS u WHERE u.id = $4::uuid
            """,
            [from, old["email"], old["phone"], into]
        )
    }
}
