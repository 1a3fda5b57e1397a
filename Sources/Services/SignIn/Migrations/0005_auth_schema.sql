-- The accounts, in the tables that GoTrue knows, so that either server can take over from the other. A database that
-- GoTrue has made belongs to it: its tables are left exactly as they are, however old, and Swiftlet looks at what is
-- there. Only what the migrating role owns itself is completed.

DO $migration$
DECLARE
    schema_owner name := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'auth');
    users_owner name := (
        SELECT pg_get_userbyid(relowner) FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
    );
    wanted text[] := ARRAY[
        'users', 'identities', 'sessions', 'refresh_tokens', 'mfa_amr_claims', 'one_time_tokens', 'audit_log_entries'
    ];
    found text[];
    made text;
    role text;
BEGIN
    IF users_owner <> current_user THEN
        RAISE NOTICE 'auth.users belongs to %: the schema auth is left as it is', users_owner;
        RETURN;
    END IF;
    IF schema_owner IS NULL THEN
        IF NOT has_database_privilege(current_database(), 'CREATE') THEN
            RAISE EXCEPTION 'the schema auth is missing and % may not create it', current_user
                USING HINT = format('As an administrator: CREATE SCHEMA auth AUTHORIZATION %I;', current_user);
        END IF;
        CREATE SCHEMA auth;
    ELSIF NOT (has_schema_privilege('auth', 'USAGE') AND has_schema_privilege('auth', 'CREATE')) THEN
        RAISE EXCEPTION 'the schema auth lacks tables, and % may not create them', current_user
            USING HINT = format('As an administrator: GRANT USAGE, CREATE ON SCHEMA auth TO %I;', current_user);
    END IF;

    SELECT coalesce(array_agg(relname::text), '{}') INTO found FROM pg_class
    WHERE relnamespace = 'auth'::regnamespace AND relkind IN ('r', 'p', 'v');

    IF NOT EXISTS (SELECT FROM pg_type WHERE typname = 'aal_level' AND typnamespace = 'auth'::regnamespace) THEN
        CREATE TYPE auth.aal_level AS ENUM ('aal1', 'aal2', 'aal3');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_type WHERE typname = 'one_time_token_type' AND typnamespace = 'auth'::regnamespace)
    THEN
        CREATE TYPE auth.one_time_token_type AS ENUM (
            'confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new',
            'email_change_token_current', 'phone_change_token'
        );
    END IF;

    -- Token columns hold '' where there is no token: GoTrue cannot read NULL in them.
    CREATE TABLE IF NOT EXISTS auth.users (
        instance_id uuid,
        id uuid PRIMARY KEY,
        aud varchar(255),
        role varchar(255),
        email varchar(255),
        encrypted_password varchar(255),
        email_confirmed_at timestamptz,
        invited_at timestamptz,
        confirmation_token varchar(255) DEFAULT '',
        confirmation_sent_at timestamptz,
        recovery_token varchar(255) DEFAULT '',
        recovery_sent_at timestamptz,
        email_change_token_new varchar(255) DEFAULT '',
        email_change varchar(255) DEFAULT '',
        email_change_sent_at timestamptz,
        last_sign_in_at timestamptz,
        raw_app_meta_data jsonb,
        raw_user_meta_data jsonb,
        is_super_admin boolean,
        created_at timestamptz,
        updated_at timestamptz,
        phone text UNIQUE DEFAULT NULL,
        phone_confirmed_at timestamptz,
        phone_change text DEFAULT '',
        phone_change_token varchar(255) DEFAULT '',
        phone_change_sent_at timestamptz,
        confirmed_at timestamptz GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
        email_change_token_current varchar(255) DEFAULT '',
        email_change_confirm_status smallint DEFAULT 0 CHECK (email_change_confirm_status BETWEEN 0 AND 2),
        banned_until timestamptz,
        reauthentication_token varchar(255) DEFAULT '',
        reauthentication_sent_at timestamptz,
        is_sso_user boolean NOT NULL DEFAULT false,
        deleted_at timestamptz,
        is_anonymous boolean NOT NULL DEFAULT false
    );

    -- provider_id is the person's id at the provider; for provider 'email' it is the user's own id.
    CREATE TABLE IF NOT EXISTS auth.identities (
        provider_id text NOT NULL,
        user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
        identity_data jsonb NOT NULL,
        provider text NOT NULL,
        last_sign_in_at timestamptz,
        created_at timestamptz,
        updated_at timestamptz,
        email text GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED,
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        CONSTRAINT identities_provider_id_provider_unique UNIQUE (provider_id, provider)
    );

    -- refreshed_at is in UTC, without a zone.
    CREATE TABLE IF NOT EXISTS auth.sessions (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
        created_at timestamptz,
        updated_at timestamptz,
        factor_id uuid,
        aal auth.aal_level,
        not_after timestamptz,
        refreshed_at timestamp,
        user_agent text,
        ip inet,
        tag text,
        oauth_client_id uuid,
        refresh_token_hmac_key text,
        refresh_token_counter bigint,
        scopes text CHECK (char_length(scopes) <= 4096)
    );

    -- user_id is the uuid as text.
    CREATE TABLE IF NOT EXISTS auth.refresh_tokens (
        instance_id uuid,
        id bigserial PRIMARY KEY,
        token varchar(255) CONSTRAINT refresh_tokens_token_unique UNIQUE,
        user_id varchar(255),
        revoked boolean,
        created_at timestamptz,
        updated_at timestamptz,
        parent varchar(255),
        session_id uuid REFERENCES auth.sessions (id) ON DELETE CASCADE
    );

    CREATE TABLE IF NOT EXISTS auth.mfa_amr_claims (
        session_id uuid NOT NULL REFERENCES auth.sessions (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        authentication_method text NOT NULL,
        id uuid CONSTRAINT amr_id_pk PRIMARY KEY,
        CONSTRAINT mfa_amr_claims_session_id_authentication_method_pkey UNIQUE (session_id, authentication_method)
    );

    CREATE TABLE IF NOT EXISTS auth.one_time_tokens (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
        token_type auth.one_time_token_type NOT NULL,
        token_hash text NOT NULL CHECK (char_length(token_hash) > 0),
        relates_to text NOT NULL,
        created_at timestamp NOT NULL DEFAULT now(),
        updated_at timestamp NOT NULL DEFAULT now()
    );

    CREATE TABLE IF NOT EXISTS auth.audit_log_entries (
        instance_id uuid,
        id uuid PRIMARY KEY,
        payload json,
        created_at timestamptz,
        ip_address varchar(64) NOT NULL DEFAULT ''
    );

    -- Tables that GoTrue made under this very role (it is supabase_auth_admin then) get the columns that its own later
    -- versions would add in the same words. auth.identities is not among them: there GoTrue renames a column.
    ALTER TABLE auth.users
        ADD COLUMN IF NOT EXISTS is_sso_user boolean NOT NULL DEFAULT false,
        ADD COLUMN IF NOT EXISTS deleted_at timestamptz,
        ADD COLUMN IF NOT EXISTS is_anonymous boolean NOT NULL DEFAULT false;
    IF (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = 'auth.sessions'::regclass) THEN
        ALTER TABLE auth.sessions
            ADD COLUMN IF NOT EXISTS not_after timestamptz,
            ADD COLUMN IF NOT EXISTS refreshed_at timestamp,
            ADD COLUMN IF NOT EXISTS user_agent text,
            ADD COLUMN IF NOT EXISTS ip inet,
            ADD COLUMN IF NOT EXISTS tag text,
            ADD COLUMN IF NOT EXISTS oauth_client_id uuid,
            ADD COLUMN IF NOT EXISTS refresh_token_hmac_key text,
            ADD COLUMN IF NOT EXISTS refresh_token_counter bigint,
            ADD COLUMN IF NOT EXISTS scopes text CHECK (char_length(scopes) <= 4096);
    END IF;

    IF NOT 'users' = ANY (found) THEN
        CREATE UNIQUE INDEX users_email_partial_key ON auth.users (email) WHERE is_sso_user = false;
        CREATE INDEX users_instance_id_email_idx ON auth.users (instance_id, lower(email));
        CREATE INDEX users_instance_id_idx ON auth.users (instance_id);
        CREATE INDEX users_is_anonymous_idx ON auth.users (is_anonymous);
        -- The list for administrators is in this order.
        CREATE INDEX users_created_at_idx ON auth.users (created_at DESC, id);
        -- One-time codes of six digits may repeat, the long ones may not.
        CREATE UNIQUE INDEX confirmation_token_idx ON auth.users (confirmation_token)
            WHERE confirmation_token !~ '^[0-9 ]*$';
        CREATE UNIQUE INDEX recovery_token_idx ON auth.users (recovery_token) WHERE recovery_token !~ '^[0-9 ]*$';
        CREATE UNIQUE INDEX email_change_token_current_idx ON auth.users (email_change_token_current)
            WHERE email_change_token_current !~ '^[0-9 ]*$';
        CREATE UNIQUE INDEX email_change_token_new_idx ON auth.users (email_change_token_new)
            WHERE email_change_token_new !~ '^[0-9 ]*$';
        CREATE UNIQUE INDEX reauthentication_token_idx ON auth.users (reauthentication_token)
            WHERE reauthentication_token !~ '^[0-9 ]*$';
    END IF;
    IF NOT 'identities' = ANY (found) THEN
        CREATE INDEX identities_email_idx ON auth.identities (email text_pattern_ops);
        CREATE INDEX identities_user_id_idx ON auth.identities (user_id);
    END IF;
    IF NOT 'sessions' = ANY (found) THEN
        CREATE INDEX sessions_user_id_idx ON auth.sessions (user_id);
        CREATE INDEX user_id_created_at_idx ON auth.sessions (user_id, created_at);
        CREATE INDEX sessions_not_after_idx ON auth.sessions (not_after DESC);
        CREATE INDEX sessions_oauth_client_id_idx ON auth.sessions (oauth_client_id);
    END IF;
    IF NOT 'refresh_tokens' = ANY (found) THEN
        CREATE INDEX refresh_tokens_instance_id_idx ON auth.refresh_tokens (instance_id);
        CREATE INDEX refresh_tokens_instance_id_user_id_idx ON auth.refresh_tokens (instance_id, user_id);
        CREATE INDEX refresh_tokens_parent_idx ON auth.refresh_tokens (parent);
        CREATE INDEX refresh_tokens_session_id_revoked_idx ON auth.refresh_tokens (session_id, revoked);
        CREATE INDEX refresh_tokens_updated_at_idx ON auth.refresh_tokens (updated_at DESC);
    END IF;
    IF NOT 'one_time_tokens' = ANY (found) THEN
        CREATE UNIQUE INDEX one_time_tokens_user_id_token_type_key ON auth.one_time_tokens (user_id, token_type);
        CREATE INDEX one_time_tokens_token_hash_hash_idx ON auth.one_time_tokens USING hash (token_hash);
        CREATE INDEX one_time_tokens_relates_to_hash_idx ON auth.one_time_tokens USING hash (relates_to);
    END IF;
    IF NOT 'audit_log_entries' = ANY (found) THEN
        CREATE INDEX audit_logs_instance_id_idx ON auth.audit_log_entries (instance_id);
    END IF;

    -- Nobody reads these but their owner, as whom Swiftlet connects: no policies, and no grants either, even where
    -- default privileges would give some.
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
