internal import Postgres

/// The parts of statements that read accounts. Texts depend on what the database has, and come from literals only.
struct AccountSQL: Sendable {
    private let tables: AuthTables
    private let schema: Schema

    init(_ tables: AuthTables, _ schema: Schema) {
        self.tables = tables
        self.schema = schema
    }

    /// `account`, `hash`, `identities`, `profile` and `banned` of the row `u` of `auth.users`; all NULL for a row that a
    /// join did not find, but `banned`.
    var columns: SQL {
        """
        (to_jsonb(u) - 'encrypted_password')::text AS account, u.encrypted_password AS hash,
        (
            SELECT jsonb_agg(to_jsonb(i) ORDER BY i.created_at) FROM auth.identities AS i WHERE i.user_id = u.id
        )::text AS identities,
        \(profile) AS profile, coalesce(u.banned_until > now(), false) AS banned
        """
    }

    /// By e-mail among those who have it to themselves: people of a single sign-on may share one.
    func hasEmail(_ email: String) -> SQL {
        let own: SQL = tables.has("users", "is_sso_user") ? "AND u.is_sso_user = false" : ""
        let email = email.lowercased()
        return """
            (u.email = \(email) OR (u.instance_id = \(Self.instance) AND lower(u.email) = \(email))) \(own)
            """
    }

    /// Who has this address in `public.users`, with a password: `id`, `hash`, `is_active`; nil where there is no such
    /// table.
    func person(email: String) -> SQL? {
        guard let users, users.column("email") != nil, users.column("password_hash") != nil else { return nil }
        let active: SQL = users.column("is_active") == nil ? "true" : "coalesce(p.is_active, true)"
        return """
            SELECT p.id::text AS id, p.password_hash AS hash, \(active) AS is_active FROM public.users AS p
            WHERE lower(p.email) = \(email.lowercased()) AND p.password_hash <> '' ORDER BY p.id LIMIT 1
            """
    }

    /// Notes when somebody of `public.users` has signed in; nil where that is not kept.
    func noteLogin(_ id: String) -> SQL? {
        guard let users, users.column("last_login_at") != nil else { return nil }
        return "UPDATE public.users SET last_login_at = now() AT TIME ZONE 'UTC' WHERE \(isPerson("id", "\(id)"))"
    }

    /// Takes the password that `public.users` has for this id, which would open an account anew; nil where there is none.
    func forgetPassword(_ id: String) -> SQL? {
        guard let users, users.column("password_hash") != nil else { return nil }
        // Not NULL, which not every such table allows.
        return "UPDATE public.users SET password_hash = '' WHERE \(isPerson("id", "\(id)")) AND password_hash <> ''"
    }

    /// GoTrue's only instance.
    static let instance = "00000000-0000-0000-0000-000000000000"

    private var users: Table? {
        schema.tables["users"].flatMap { $0.schema == "public" && $0.column("id") != nil ? $0 : nil }
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

    /// The cast is on the side that leaves the key's index usable.
    private func isPerson(_ column: SQL, _ id: SQL) -> SQL {
        switch users?.column("id")?.type.category {
        case .uuid: "\(column) = (\(id))::uuid"
        case .text: "\(column) = \(id)"
        default: "\(column)::text = \(id)"
        }
    }
}
