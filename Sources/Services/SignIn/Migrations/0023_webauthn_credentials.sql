-- Passkeys, in the tables that GoTrue has for them. Where users belong to others, their tables are left as they are:
-- without these, nobody can have a passkey.

DO $migration$
DECLARE
    wanted text[] := ARRAY['webauthn_credentials', 'webauthn_challenges'];
    found text[];
    made text;
    role text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        RAISE NOTICE 'auth.users does not belong to %: auth.webauthn_credentials is left as it is', current_user;
        RETURN;
    END IF;

    SELECT coalesce(array_agg(relname::text), '{}') INTO found FROM pg_class
    WHERE relnamespace = 'auth'::regnamespace AND relname = ANY (wanted);
    IF NOT wanted <@ found AND NOT has_schema_privilege('auth', 'CREATE') THEN
        RAISE EXCEPTION 'the schema auth lacks the table webauthn_credentials, and % may not create it', current_user
            USING HINT = format('As an administrator: GRANT USAGE, CREATE ON SCHEMA auth TO %I;', current_user);
    END IF;

    IF NOT 'webauthn_credentials' = ANY (found) THEN
        -- public_key is a COSE_Key (RFC 9052 §7).
        CREATE TABLE auth.webauthn_credentials (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            credential_id bytea NOT NULL,
            public_key bytea NOT NULL,
            attestation_type text NOT NULL DEFAULT '',
            aaguid uuid,
            sign_count bigint NOT NULL DEFAULT 0,
            transports jsonb NOT NULL DEFAULT '[]',
            backup_eligible boolean NOT NULL DEFAULT false,
            backed_up boolean NOT NULL DEFAULT false,
            friendly_name text NOT NULL DEFAULT '',
            created_at timestamptz NOT NULL DEFAULT now(),
            updated_at timestamptz NOT NULL DEFAULT now(),
            last_used_at timestamptz
        );
        CREATE INDEX webauthn_credentials_user_id_idx ON auth.webauthn_credentials (user_id);
        CREATE UNIQUE INDEX webauthn_credentials_credential_id_key ON auth.webauthn_credentials (credential_id);
    END IF;

    IF NOT 'webauthn_challenges' = ANY (found) THEN
        -- A sign-in has no user yet.
        CREATE TABLE auth.webauthn_challenges (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            user_id uuid REFERENCES auth.users (id) ON DELETE CASCADE,
            challenge_type text NOT NULL
                CONSTRAINT webauthn_challenges_challenge_type_check
                CHECK (challenge_type IN ('signup', 'registration', 'authentication')),
            session_data jsonb NOT NULL,
            created_at timestamptz NOT NULL DEFAULT now(),
            expires_at timestamptz NOT NULL
        );
        CREATE INDEX webauthn_challenges_user_id_idx ON auth.webauthn_challenges (user_id);
        CREATE INDEX webauthn_challenges_expires_at_idx ON auth.webauthn_challenges (expires_at);
    END IF;

    -- Nobody reads them but their owner, as with the other tables of this schema.
    FOREACH made IN ARRAY wanted LOOP
        CONTINUE WHEN made = ANY (found);
        EXECUTE format('ALTER TABLE auth.%I ENABLE ROW LEVEL SECURITY', made);
        EXECUTE format('REVOKE ALL ON auth.%I FROM PUBLIC', made);
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('REVOKE ALL ON auth.%I FROM %I', made, role);
            END IF;
        END LOOP;
    END LOOP;
END $migration$;
