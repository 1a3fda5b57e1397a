import SwiftletPostgres

/// SQL fragments that read accounts, adapted to the tables and columns of this database.
struct AccountSQL: Sendable {
    private let tables: AuthTables
    private let schema: Schema

    init(_ tables: AuthTables, _ schema: Schema) {
        self.tables = tables
        self.schema = schema
    }

    /// `account`, `hash`, `identities`, `factors`, `profile` and `banned` for the row `u` of `auth.users`. For a
    /// missing row of an outer join, all but `banned` are NULL.
    var columns: SQL {
        """
        (to_jsonb(u) - 'encrypted_password')::text AS account, u.encrypted_password AS hash,
        (
            SELECT jsonb_agg(to_jsonb(i) ORDER BY i.created_at, i.provider) FROM auth.identities AS i WHERE i.user_id = u.id
        )::text AS identities,
        \(factors) AS factors, \(profile) AS profile, coalesce(u.banned_until > now(), false) AS banned
        """
    }

    /// Matches by e-mail address, except accounts of single sign-on, which may share one.
    func hasEmail(_ email: String) -> SQL {
        let email = email.lowercased()
        return """
            (u.email = \(email) OR (u.instance_id = \(Self.instance) AND lower(u.email) = \(email))) \(isOwnAccount)
            """
    }

    /// Matches by the new e-mail address that is not confirmed yet.
    func awaitsEmail(_ email: String) -> SQL {
        "(u.email_change = \(email.lowercased()) AND u.email_change <> '' \(isOwnAccount))"
    }

    /// Matches by phone number, in digits.
    func hasPhone(_ number: String) -> SQL { "(u.phone = \(number) \(isOwnAccount))" }

    /// Matches by address or number, whichever it is.
    func isNamed(_ name: String) -> SQL { PhoneNumber(rawValue: name) == nil ? hasEmail(name) : hasPhone(name) }

    /// Matches by the new phone number that is not confirmed yet.
    func awaitsPhone(_ number: String) -> SQL {
        "(u.phone_change = \(number) AND u.phone_change <> '' \(isOwnAccount))"
    }

    private var isOwnAccount: SQL { tables.has("users", "is_sso_user") ? "AND u.is_sso_user = false" : "" }

    /// Selects the row of `public.users` with this address and a password: `id`, `hash`, `is_active`; nil if there is
    /// no such table.
    func person(email: String) -> SQL? {
        guard let users, users.column("email") != nil, users.column("password_hash") != nil else { return nil }
        let active: SQL = users.column("is_active") == nil ? "true" : "coalesce(p.is_active, true)"
        return """
            SELECT p.id::text AS id, p.password_hash AS hash, \(active) AS is_active FROM public.users AS p
            WHERE lower(p.email) = \(email.lowercased()) AND p.password_hash <> '' ORDER BY p.id LIMIT 1
            """
    }

    /// Selects a row if somebody in `public.users` has this id; nil if there is no such table.
    func person(id: String) -> SQL? {
        users.map { _ in "SELECT 1 FROM public.users AS p WHERE \(isPerson("p.id", "\(id)"))" }
    }

    /// Sets `last_login_at` in `public.users`; nil if there is no such column.
    func noteLogin(_ id: String) -> SQL? {
        guard let users, users.column("last_login_at") != nil else { return nil }
        return "UPDATE public.users SET last_login_at = now() AT TIME ZONE 'UTC' WHERE \(isPerson("id", "\(id)"))"
    }

    /// Removes the password from `public.users`, which could otherwise create the account again; nil if there is none.
    func forgetPassword(_ id: String) -> SQL? {
        guard let users, users.column("password_hash") != nil else { return nil }
        // Not NULL, which some tables do not allow.
        return "UPDATE public.users SET password_hash = '' WHERE \(isPerson("id", "\(id)")) AND password_hash <> ''"
    }

    /// GoTrue's only instance.
    static let instance = "00000000-0000-0000-0000-000000000000"

    private var users: Table? {
        schema.tables["users"].flatMap { $0.schema == "public" && $0.column("id") != nil ? $0 : nil }
    }

    /// Without the one that stands for recovery codes, which clients of before do not know.
    private var factors: SQL {
        guard !tables["mfa_factors"].isEmpty else { return "NULL::text" }
        return """
            (
                SELECT jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' ORDER BY f.created_at)
                FROM auth.mfa_factors AS f WHERE f.user_id = u.id AND f.factor_type::text <> 'recovery_code'
            )::text
            """
    }

    private var profile: SQL {
        guard let users else { return "NULL::text" }
        let roles = schema.tables["roles"].flatMap { $0.schema == "public" ? $0 : nil }
        let role: SQL =
            roles?.column("id") != nil && users.column("role_id") != nil
            ? "(SELECT to_jsonb(r) FROM public.roles AS r WHERE r.id::text = p.role_id::text)" : "NULL::jsonb"
        return """
            (
                SELECT jsonb_build_object('person', to_jsonb(p) - 'password_hash', 'role', \(role))
                FROM public.users AS p WHERE \(isPerson("p.id", "u.id::text"))
            )::text
            """
    }

    /// Casts the side that keeps the primary key's index usable.
    private func isPerson(_ column: SQL, _ id: SQL) -> SQL {
        switch users?.column("id")?.type.category {
        case .uuid: "\(column) = (\(id))::uuid"
        case .text: "\(column) = \(id)"
        default: "\(column)::text = \(id)"
        }
    }
}
