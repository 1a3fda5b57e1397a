import SwiftletPostgres

extension UserDirectory {
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
        let people: StaticString =
            tables.hasPeople
            ? "public.users" : "(SELECT NULL AS id, NULL AS tenant_id, NULL AS role_id WHERE false)"
        let roles: StaticString =
            tables.hasRoles ? "public.roles" : "(SELECT NULL AS id, NULL AS level WHERE false)"
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
                LEFT JOIN \(people) AS person ON person.id::text = account.id::text
                LEFT JOIN \(roles) AS role ON role.id::text = person.role_id::text,
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
