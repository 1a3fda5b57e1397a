import SwiftletPostgres

/// Accounts for the users in the demo data, all with the same well-known password.
struct DemoAccounts: Sendable {
    /// The account that the banner shows.
    static let email = "ada@acme.example"
    static let password = "demo-password"
    /// bcrypt of ``password``, cost 10.
    private static let passwordHash = "$2b$10$mFXz3wi7vnrEiNJvDXOHI.CRbQLthT3qnAUa1gVAADxiGsPDICN.6"

    /// Inserts the accounts, unless there are any accounts with an address already, the tables belong to GoTrue, or a
    /// trigger of the app would take them for people. Returns whether it did.
    static func insert(into url: String) throws(BlockingConnectionError) -> Bool {
        let connection = try BlockingConnection.connect(to: url)
        guard try connection.query(isOurs) == [["t"]], try connection.query(triggers).isEmpty else { return false }
        try connection.execute("BEGIN; LOCK TABLE auth.users IN SHARE ROW EXCLUSIVE MODE")
        try connection.execute(DemoPeople.sql)
        let rows = try connection.query(accounts, [passwordHash])
        if !rows.isEmpty { try connection.execute(identities) }
        try connection.execute("COMMIT; DROP TABLE pg_temp.people; DROP FUNCTION pg_temp.person")
        return !rows.isEmpty
    }

    static func exist(in url: String) -> Bool {
        let text = "SELECT 1 FROM auth.users WHERE email = $1 AND encrypted_password = $2"
        guard let connection = try? BlockingConnection.connect(to: url) else { return false }
        return (try? connection.query(text, [email, passwordHash]).isEmpty) == false
    }

    private static let isOurs = """
        SELECT count(*) = 2 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'auth' AND c.relname IN ('users', 'identities') AND pg_get_userbyid(c.relowner) = current_user
            AND (c.relname = 'users' OR EXISTS (
                SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'provider_id'
            ))
        """

    private static let triggers = """
        SELECT FROM pg_trigger WHERE tgrelid = 'auth.users'::regclass AND NOT tgisinternal
            AND NOT starts_with(tgname, 'swiftlet_')
        """

    private static let accounts = """
        INSERT INTO auth.users (
            instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
            raw_user_meta_data, created_at, updated_at
        )
        SELECT '00000000-0000-0000-0000-000000000000',
            person.id::uuid, 'authenticated', 'authenticated', person.email, $1, now(),
            jsonb_build_object(
                'provider', 'email', 'providers', jsonb_build_array('email'),
                'tenant_id', person.tenant_id, 'tenantId', person.tenant_id,
                'role_id', person.role_id, 'roleId', person.role_id,
                'role_level', person.level, 'roleLevel', person.level,
                'team_id', person.team_id, 'teamId', person.team_id,
                'is_platform_user', false, 'isPlatformUser', false
            ),
            jsonb_build_object('firstName', person.first_name, 'lastName', person.last_name), now(), now()
        FROM pg_temp.people AS person
        -- Devices have accounts as well.
        WHERE NOT EXISTS (SELECT FROM auth.users WHERE email <> '')
        RETURNING id
        """

    private static let identities = """
        INSERT INTO auth.identities (
            provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at
        )
        SELECT id, id, jsonb_build_object('sub', id, 'email', email, 'email_verified', true, 'phone_verified', false),
            'email', now(), now(), now()
        FROM auth.users
        """
}
