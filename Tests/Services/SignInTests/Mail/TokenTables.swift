import SwiftletPostgres
import SwiftletTesting

/// The tables of GoTrue that one-time tokens live in, as a database has them that was GoTrue's.
enum TokenTables {
    static let withoutTokenTable = """
        CREATE SCHEMA auth;
        CREATE TABLE auth.users (
            instance_id uuid, id uuid PRIMARY KEY, email varchar(255), confirmation_token varchar(255) DEFAULT '',
            confirmation_sent_at timestamptz, recovery_token varchar(255) DEFAULT '', recovery_sent_at timestamptz,
            email_change_token_new varchar(255) DEFAULT '', email_change varchar(255) DEFAULT '',
            email_change_sent_at timestamptz, email_change_token_current varchar(255) DEFAULT '',
            reauthentication_token varchar(255) DEFAULT '', reauthentication_sent_at timestamptz, updated_at timestamptz
        );
        INSERT INTO auth.users (id, email, email_change) VALUES
            ('00000000-0000-0000-0000-00000000000a', 'ada@example.com', 'ada@new.example'),
            ('00000000-0000-0000-0000-00000000000b', 'bob@example.com', '');
        """

    static let newest =
        withoutTokenTable + """

            ALTER TABLE auth.users ADD COLUMN is_sso_user boolean NOT NULL DEFAULT false;
            CREATE TYPE auth.one_time_token_type AS ENUM ('confirmation_token', 'reauthentication_token', 'recovery_token',
                'email_change_token_new', 'email_change_token_current', 'phone_change_token');
            CREATE TABLE auth.one_time_tokens (
                id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
                token_type auth.one_time_token_type NOT NULL, token_hash text NOT NULL CHECK (char_length(token_hash) > 0),
                relates_to text NOT NULL, created_at timestamp NOT NULL DEFAULT now(),
                updated_at timestamp NOT NULL DEFAULT now()
            );
            CREATE UNIQUE INDEX one_time_tokens_user_id_token_type_key ON auth.one_time_tokens (user_id, token_type);
            """

    static let ada = "00000000-0000-0000-0000-00000000000a"
    static let bob = "00000000-0000-0000-0000-00000000000b"

    static func with(_ sql: String, _ body: (TestApplication) async throws -> Void) async throws {
        try await TestApplication.with([], sql: sql, databaseURL: TestDatabase.createEmpty(), body)
    }
}
