-- Second factors, in the tables that GoTrue has for them. Where users belong to others, their tables are left as they
-- are: without these, nobody can enrol a factor.

DO $migration$
DECLARE
    wanted text[] := ARRAY['mfa_factors', 'mfa_challenges'];
    found text[];
    made text;
    role text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        RAISE NOTICE 'auth.users does not belong to %: auth.mfa_factors is left as it is', current_user;
        RETURN;
    END IF;

    SELECT coalesce(array_agg(relname::text), '{}') INTO found FROM pg_class
    WHERE relnamespace = 'auth'::regnamespace AND relname = ANY (wanted);
    IF NOT wanted <@ found AND NOT has_schema_privilege('auth', 'CREATE') THEN
        RAISE EXCEPTION 'the schema auth lacks the table mfa_factors, and % may not create it', current_user
            USING HINT = format('As an administrator: GRANT USAGE, CREATE ON SCHEMA auth TO %I;', current_user);
    END IF;

    IF NOT EXISTS (SELECT FROM pg_type WHERE typname = 'factor_type' AND typnamespace = 'auth'::regnamespace) THEN
        CREATE TYPE auth.factor_type AS ENUM ('totp', 'webauthn', 'phone');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_type WHERE typname = 'factor_status' AND typnamespace = 'auth'::regnamespace) THEN
        CREATE TYPE auth.factor_status AS ENUM ('unverified', 'verified');
    END IF;

    IF NOT 'mfa_factors' = ANY (found) THEN
        CREATE TABLE auth.mfa_factors (
            id uuid PRIMARY KEY,
            user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            friendly_name text,
            factor_type auth.factor_type NOT NULL,
            status auth.factor_status NOT NULL,
            created_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL,
            secret text,
            phone text,
            last_challenged_at timestamptz UNIQUE,
            web_authn_credential jsonb,
            web_authn_aaguid uuid,
            last_webauthn_challenge_data jsonb
        );
        CREATE INDEX mfa_factors_user_id_idx ON auth.mfa_factors (user_id);
        CREATE INDEX factor_id_created_at_idx ON auth.mfa_factors (user_id, created_at);
        CREATE UNIQUE INDEX mfa_factors_user_friendly_name_unique ON auth.mfa_factors (friendly_name, user_id)
            WHERE trim(friendly_name) <> '';
        CREATE UNIQUE INDEX unique_verified_phone_factor ON auth.mfa_factors (user_id, phone);
    ELSIF (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = 'auth.mfa_factors'::regclass) THEN
        -- Made by an older GoTrue under this very role. Its own later versions would add the columns in the same words.
        ALTER TABLE auth.mfa_factors
            ADD COLUMN IF NOT EXISTS phone text,
            ADD COLUMN IF NOT EXISTS last_challenged_at timestamptz UNIQUE,
            ADD COLUMN IF NOT EXISTS web_authn_credential jsonb,
            ADD COLUMN IF NOT EXISTS web_authn_aaguid uuid,
            ADD COLUMN IF NOT EXISTS last_webauthn_challenge_data jsonb;
    END IF;

    IF NOT 'mfa_challenges' = ANY (found) THEN
        CREATE TABLE auth.mfa_challenges (
            id uuid PRIMARY KEY,
            factor_id uuid NOT NULL CONSTRAINT mfa_challenges_auth_factor_id_fkey
                REFERENCES auth.mfa_factors (id) ON DELETE CASCADE,
            created_at timestamptz NOT NULL,
            verified_at timestamptz,
            ip_address inet NOT NULL,
            otp_code text,
            web_authn_session_data jsonb
        );
        CREATE INDEX mfa_challenge_created_at_idx ON auth.mfa_challenges (created_at DESC);
        -- Deletions of a factor and of its old challenges find them by it.
        CREATE INDEX mfa_challenges_factor_id_idx ON auth.mfa_challenges (factor_id);
    ELSIF (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = 'auth.mfa_challenges'::regclass)
    THEN
        ALTER TABLE auth.mfa_challenges
            ADD COLUMN IF NOT EXISTS otp_code text,
            ADD COLUMN IF NOT EXISTS web_authn_session_data jsonb;
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

-- The time step of the last code that each factor has accepted: a code counts once (RFC 6238 §5.2). No foreign key,
-- because the factors can belong to another role.
CREATE TABLE IF NOT EXISTS swiftlet.used_factor_codes (
    factor_id uuid PRIMARY KEY,
    step bigint NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS used_factor_codes_used_at ON swiftlet.used_factor_codes (used_at);

-- No policy and no grant: only the owner reads it.
ALTER TABLE swiftlet.used_factor_codes ENABLE ROW LEVEL SECURITY;
