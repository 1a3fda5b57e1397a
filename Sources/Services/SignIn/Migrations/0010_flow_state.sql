-- What clients send ahead so that a link in a mail leads to a code that only they can use (PKCE), in the table that
-- GoTrue has for it. Where users belong to others, their tables are left as they are: without this one, links lead
-- straight to a session.

DO $migration$
DECLARE
    is_new boolean;
    role text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        RAISE NOTICE 'auth.users does not belong to %: auth.flow_state is left as it is', current_user;
        RETURN;
    END IF;

    is_new := NOT EXISTS (
        SELECT FROM pg_class WHERE relname = 'flow_state' AND relnamespace = 'auth'::regnamespace
    );
    IF is_new AND NOT has_schema_privilege('auth', 'CREATE') THEN
        RAISE EXCEPTION 'the schema auth lacks the table flow_state, and % may not create it', current_user
            USING HINT = format('As an administrator: GRANT USAGE, CREATE ON SCHEMA auth TO %I;', current_user);
    END IF;
    IF is_new THEN
        IF NOT EXISTS (
            SELECT FROM pg_type WHERE typname = 'code_challenge_method' AND typnamespace = 'auth'::regnamespace
        ) THEN
            CREATE TYPE auth.code_challenge_method AS ENUM ('s256', 'plain');
        END IF;
        -- auth_code is of use once it has been issued, for a few minutes.
        CREATE TABLE auth.flow_state (
            id uuid PRIMARY KEY,
            user_id uuid,
            auth_code text NOT NULL,
            code_challenge_method auth.code_challenge_method NOT NULL,
            code_challenge text NOT NULL,
            provider_type text NOT NULL,
            provider_access_token text,
            provider_refresh_token text,
            created_at timestamptz,
            updated_at timestamptz,
            authentication_method text NOT NULL,
            auth_code_issued_at timestamptz
        );
        CREATE INDEX idx_auth_code ON auth.flow_state (auth_code);
        CREATE INDEX idx_user_id_auth_method ON auth.flow_state (user_id, authentication_method);
        CREATE INDEX flow_state_created_at_idx ON auth.flow_state (created_at DESC);

        -- Nobody reads it but its owner, as with the other tables of this schema.
        ALTER TABLE auth.flow_state ENABLE ROW LEVEL SECURITY;
        REVOKE ALL ON auth.flow_state FROM PUBLIC;
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('REVOKE ALL ON auth.flow_state FROM %I', role);
            END IF;
        END LOOP;
    ELSIF (
        SELECT relkind IN ('r', 'p') AND pg_get_userbyid(relowner) = current_user
        FROM pg_class WHERE oid = 'auth.flow_state'::regclass
    ) THEN
        -- Made by an older GoTrue under this very role. Its own later versions would add the column in the same words.
        ALTER TABLE auth.flow_state ADD COLUMN IF NOT EXISTS auth_code_issued_at timestamptz;
    END IF;
END $migration$;
