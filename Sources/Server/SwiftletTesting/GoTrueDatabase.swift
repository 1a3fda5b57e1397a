import SwiftletMigrations
import SwiftletPostgres

/// A database as GoTrue creates it: the schema `auth` belongs to `supabase_auth_admin`, and the server uses another
/// role.
///
/// That role can read and write the tables, like the role `postgres` of a Supabase project, but does not own them.
package struct GoTrueDatabase: Sendable {
    package enum Age: CaseIterable, Sendable {
        /// Autumn of 2022: with sessions, but identities are keyed by the provider's id, and there are no single
        /// sign-on, anonymous users, table of one-time tokens or row policies.
        case older
        /// All of GoTrue's migrations up to 2025.
        case newest
    }

    /// For the server's role, which is neither owner nor superuser.
    package let url: String
    /// For GoTrue's own role, the owner.
    package let ownerURL: String
    /// For a superuser.
    package let administratorURL: String

    /// An account with a password and one session, see ``refreshToken``.
    package static let userID = "9d7f8a34-6d5c-4a0e-9c1b-52f0c2a7e001"
    package static let email = "grace@hopper.example"
    package static let password = "correct horse battery staple"
    /// As GoTrue hashes it, with bcrypt and cost 10.
    package static let passwordHash = "$2a$10$mRC.i0dc3jrArU.fbzGP4ueuDa/7YYl7UJPdVl/9/SdfRJy/3hzXe"
    package static let sessionID = "5b1c0d7e-2f0a-4b7e-8a51-0d7c3a1fb002"
    /// The session's active token, and its revoked predecessor.
    package static let refreshToken = "a7GkQ2mTzXwP"
    package static let parentToken = "p4RnT0kEnOlD"
    /// An account without a password that signs in with Apple.
    package static let appleUserID = "0c4b8e3f-7a52-4f9d-b6f3-9e1a4d2cc003"
    package static let appleEmail = "katherine@johnson.example"
    package static let appleSubject = "001234.abcdef0123456789abcdef0123456789.0123"

    /// Creates the database, without Swiftlet's migrations, see ``migrate()``.
    package static func create(_ age: Age) throws -> GoTrueDatabase {
        let administratorURL = try TestDatabase.createEmpty()
        let administrator = try BlockingConnection.connect(to: administratorURL)
        try administrator.execute(roles)
        try administrator.execute("SET ROLE supabase_auth_admin")
        try administrator.execute(age == .older ? GoTrueTables.older : GoTrueTables.newest)
        try administrator.execute(rows(age))
        try administrator.execute("RESET ROLE")
        try administrator.execute(grants)
        return GoTrueDatabase(
            url: url(administratorURL, "swiftlet_test_server"),
            ownerURL: url(administratorURL, "supabase_auth_admin"),
            administratorURL: administratorURL
        )
    }

    /// Applies Swiftlet's migrations with the server's role.
    package func migrate() throws {
        try Migrator(url: url, files: TestDatabase.files()).apply()
    }

    /// In libpq, query parameters take precedence over the authority, and later ones over earlier ones.
    private static func url(_ url: String, _ role: String) -> String {
        "\(url)\(url.contains("?") ? "&" : "?")user=\(role)&password=test"
    }

    /// Roles belong to the cluster: other test processes may be creating them concurrently.
    private static let roles = """
        DO $$
        DECLARE
            role text;
        BEGIN
            PERFORM pg_advisory_xact_lock(20221100);
            FOREACH role IN ARRAY ARRAY['supabase_auth_admin', 'swiftlet_test_server'] LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                    BEGIN
                        EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT PASSWORD ''test''', role);
                    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
                    END;
                END IF;
            END LOOP;
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'swiftlet_test_server' AND NOT rolbypassrls) THEN
                ALTER ROLE swiftlet_test_server BYPASSRLS;
            END IF;
        END $$;
        CREATE SCHEMA auth AUTHORIZATION supabase_auth_admin;
        """

    private static let grants = """
        CREATE SCHEMA IF NOT EXISTS swiftlet AUTHORIZATION swiftlet_test_server;
        CREATE SCHEMA IF NOT EXISTS storage AUTHORIZATION swiftlet_test_server;
        GRANT CREATE, USAGE ON SCHEMA public TO swiftlet_test_server;
        GRANT USAGE ON SCHEMA auth TO swiftlet_test_server;
        GRANT ALL ON ALL TABLES IN SCHEMA auth TO swiftlet_test_server;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA auth TO swiftlet_test_server;
        """

    private static func rows(_ age: Age) -> String {
        let identities =
            age == .older
            ? "INSERT INTO auth.identities (id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)"
            : """
            INSERT INTO auth.identities (
                provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at
            )
            """
        return """
            INSERT INTO auth.users (
                instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
                recovery_token, email_change_token_new, email_change, last_sign_in_at, raw_app_meta_data,
                raw_user_meta_data, created_at, updated_at
            ) VALUES (
                '00000000-0000-0000-0000-000000000000', '\(userID)', 'authenticated', 'authenticated', '\(email)',
                '\(passwordHash)', '2022-11-02 08:15:30.123456+00', '', '', '', '', '2022-11-05 09:00:00+00',
                '{"provider": "email", "providers": ["email"]}', '{"firstName": "Grace"}',
                '2022-11-02 08:14:00.5+00', '2022-11-05 09:00:00+00'
            ), (
                '00000000-0000-0000-0000-000000000000', '\(appleUserID)', 'authenticated', 'authenticated',
                '\(appleEmail)', '', '2022-11-03 10:00:00+00', '', '', '', '', '2022-11-03 10:00:00+00',
                '{"provider": "apple", "providers": ["apple"]}', '{"iss": "https://appleid.apple.com"}',
                '2022-11-03 10:00:00+00', '2022-11-03 10:00:00+00'
            );
            \(identities) VALUES (
                '\(userID)', '\(userID)', '{"sub": "\(userID)", "email": "\(email)"}', 'email',
                '2022-11-02 08:14:00.5+00', '2022-11-02 08:14:00.5+00', '2022-11-02 08:14:00.5+00'
            ), (
                '\(appleSubject)', '\(appleUserID)', '{"sub": "\(appleSubject)", "email": "\(appleEmail)"}', 'apple',
                '2022-11-03 10:00:00+00', '2022-11-03 10:00:00+00', '2022-11-03 10:00:00+00'
            );
            INSERT INTO auth.sessions (id, user_id, created_at, updated_at, aal)
            VALUES ('\(sessionID)', '\(userID)', '2022-11-05 09:00:00+00', '2022-11-05 10:00:00+00', 'aal1');
            INSERT INTO auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
            VALUES (
                '\(sessionID)', '2022-11-05 09:00:00+00', '2022-11-05 09:00:00+00', 'password', gen_random_uuid()
            );
            INSERT INTO auth.refresh_tokens (
                instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id
            ) VALUES (
                '00000000-0000-0000-0000-000000000000', '\(parentToken)', '\(userID)', true,
                '2022-11-05 09:00:00+00', '2022-11-05 10:00:00+00', '', '\(sessionID)'
            ), (
                '00000000-0000-0000-0000-000000000000', '\(refreshToken)', '\(userID)', false,
                '2022-11-05 10:00:00+00', '2022-11-05 10:00:00+00', '\(parentToken)', '\(sessionID)'
            );
            """
    }
}
