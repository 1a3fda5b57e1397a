/// The schema `auth` after GoTrue's migrations, in two versions. Run it as the owner.
enum GoTrueTables {
    /// November 2022.
    static let older = """
        CREATE TABLE auth.schema_migrations (version varchar(255) PRIMARY KEY);
        INSERT INTO auth.schema_migrations VALUES ('00'), ('20221027105023');

        CREATE TABLE auth.users (
            instance_id uuid,
            id uuid NOT NULL UNIQUE,
            aud varchar(255),
            role varchar(255),
            email varchar(255) CONSTRAINT users_email_key UNIQUE,
            encrypted_password varchar(255),
            email_confirmed_at timestamptz,
            invited_at timestamptz,
            confirmation_token varchar(255),
            confirmation_sent_at timestamptz,
            recovery_token varchar(255),
            recovery_sent_at timestamptz,
            email_change_token_new varchar(255),
            email_change varchar(255),
            email_change_sent_at timestamptz,
            last_sign_in_at timestamptz,
            raw_app_meta_data jsonb,
            raw_user_meta_data jsonb,
            is_super_admin boolean,
            created_at timestamptz,
            updated_at timestamptz,
            phone varchar(15) DEFAULT NULL UNIQUE,
            phone_confirmed_at timestamptz,
            phone_change varchar(15) DEFAULT '',
            phone_change_token varchar(255) DEFAULT '',
            phone_change_sent_at timestamptz,
            confirmed_at timestamptz GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
            email_change_token_current varchar(255) DEFAULT '',
            email_change_confirm_status smallint DEFAULT 0,
            banned_until timestamptz,
            reauthentication_token varchar(255) DEFAULT '',
            reauthentication_sent_at timestamptz,
            CONSTRAINT users_pkey PRIMARY KEY (id)
        );
        CREATE UNIQUE INDEX confirmation_token_idx ON auth.users (confirmation_token)
            WHERE confirmation_token !~ '^[0-9 ]*$';
        CREATE UNIQUE INDEX recovery_token_idx ON auth.users (recovery_token) WHERE recovery_token !~ '^[0-9 ]*$';

        CREATE TABLE auth.identities (
            id text NOT NULL,
            user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            identity_data jsonb NOT NULL,
            provider text NOT NULL,
            last_sign_in_at timestamptz,
            created_at timestamptz,
            updated_at timestamptz,
            CONSTRAINT identities_pkey PRIMARY KEY (provider, id)
        );

        CREATE TYPE auth.aal_level AS ENUM ('aal1', 'aal2', 'aal3');
        CREATE TABLE auth.sessions (
            id uuid NOT NULL PRIMARY KEY,
            user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            created_at timestamptz,
            updated_at timestamptz,
            factor_id uuid,
            aal auth.aal_level
        );

        CREATE TABLE auth.refresh_tokens (
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

        CREATE TABLE auth.mfa_amr_claims (
            session_id uuid NOT NULL REFERENCES auth.sessions (id) ON DELETE CASCADE,
            created_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL,
            authentication_method text NOT NULL,
            id uuid NOT NULL CONSTRAINT amr_id_pk PRIMARY KEY,
            CONSTRAINT mfa_amr_claims_session_id_authentication_method_pkey UNIQUE (session_id, authentication_method)
        );

        CREATE TYPE auth.factor_type AS ENUM ('totp', 'webauthn');
        CREATE TYPE auth.factor_status AS ENUM ('unverified', 'verified');
        CREATE TABLE auth.mfa_factors (
            id uuid NOT NULL CONSTRAINT mfa_factors_pkey PRIMARY KEY,
            user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            friendly_name text,
            factor_type auth.factor_type NOT NULL,
            status auth.factor_status NOT NULL,
            created_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL,
            secret text
        );
        CREATE TABLE auth.mfa_challenges (
            id uuid NOT NULL CONSTRAINT mfa_challenges_pkey PRIMARY KEY,
            factor_id uuid NOT NULL REFERENCES auth.mfa_factors (id) ON DELETE CASCADE,
            created_at timestamptz NOT NULL,
            verified_at timestamptz,
            ip_address inet NOT NULL
        );

        CREATE TABLE auth.audit_log_entries (
            instance_id uuid, id uuid PRIMARY KEY, payload json, created_at timestamptz,
            ip_address varchar(64) NOT NULL DEFAULT ''
        );

        CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$
            SELECT nullif(current_setting('request.jwt.claim.sub', true), '')::uuid
        $$;
        CREATE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $$
            SELECT nullif(current_setting('request.jwt.claim.role', true), '')::text
        $$;
        """

    /// With GoTrue's migrations since then.
    static let newest = """
        \(older)
        INSERT INTO auth.schema_migrations VALUES ('20251104100000');

        ALTER TABLE auth.users
            ADD COLUMN is_sso_user boolean NOT NULL DEFAULT false,
            ADD COLUMN deleted_at timestamptz,
            ADD COLUMN is_anonymous boolean NOT NULL DEFAULT false,
            ALTER COLUMN phone TYPE text,
            ALTER COLUMN phone_change TYPE text,
            DROP CONSTRAINT users_email_key;
        CREATE UNIQUE INDEX users_email_partial_key ON auth.users (email) WHERE is_sso_user = false;
        CREATE INDEX users_is_anonymous_idx ON auth.users (is_anonymous);

        ALTER TABLE auth.identities RENAME COLUMN id TO provider_id;
        ALTER TABLE auth.identities DROP CONSTRAINT identities_pkey;
        ALTER TABLE auth.identities
            ADD COLUMN email text GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED,
            ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
            ADD CONSTRAINT identities_provider_id_provider_unique UNIQUE (provider_id, provider);

        CREATE TABLE auth.oauth_clients (id uuid PRIMARY KEY, client_name text);
        ALTER TABLE auth.sessions
            ADD COLUMN not_after timestamptz,
            ADD COLUMN refreshed_at timestamp,
            ADD COLUMN user_agent text,
            ADD COLUMN ip inet,
            ADD COLUMN tag text,
            ADD COLUMN oauth_client_id uuid REFERENCES auth.oauth_clients (id) ON DELETE CASCADE,
            ADD COLUMN refresh_token_hmac_key text,
            ADD COLUMN refresh_token_counter bigint,
            ADD COLUMN scopes text CHECK (char_length(scopes) <= 4096);

        ALTER TYPE auth.factor_type ADD VALUE 'phone';
        ALTER TABLE auth.mfa_factors
            ADD COLUMN phone text,
            ADD COLUMN last_challenged_at timestamptz UNIQUE,
            ADD COLUMN web_authn_credential jsonb,
            ADD COLUMN web_authn_aaguid uuid,
            ADD COLUMN last_webauthn_challenge_data jsonb;
        ALTER TABLE auth.mfa_challenges ADD COLUMN otp_code text, ADD COLUMN web_authn_session_data jsonb;

        ALTER TYPE auth.factor_type ADD VALUE 'recovery_code';
        CREATE TABLE auth.mfa_recovery_code_sets (
            id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
            user_id uuid NOT NULL UNIQUE REFERENCES auth.users (id) ON DELETE CASCADE,
            mfa_factor_id uuid NOT NULL UNIQUE REFERENCES auth.mfa_factors (id) ON DELETE CASCADE,
            failed_verification_count integer NOT NULL DEFAULT 0,
            verification_locked_until timestamptz,
            created_at timestamptz NOT NULL DEFAULT now(),
            updated_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE TABLE auth.mfa_recovery_codes (
            id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
            mfa_recovery_code_set_id uuid NOT NULL
                REFERENCES auth.mfa_recovery_code_sets (id) ON DELETE CASCADE,
            code_hash text NOT NULL,
            consumed_at timestamptz,
            created_at timestamptz NOT NULL DEFAULT now()
        );

        CREATE TABLE auth.webauthn_credentials (
            id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
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
        CREATE TABLE auth.webauthn_challenges (
            id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
            user_id uuid REFERENCES auth.users (id) ON DELETE CASCADE,
            challenge_type text NOT NULL CHECK (challenge_type IN ('signup', 'registration', 'authentication')),
            session_data jsonb NOT NULL,
            created_at timestamptz NOT NULL DEFAULT now(),
            expires_at timestamptz NOT NULL
        );

        CREATE TYPE auth.one_time_token_type AS ENUM (
            'confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new',
            'email_change_token_current', 'phone_change_token'
        );
        CREATE TABLE auth.one_time_tokens (
            id uuid PRIMARY KEY,
            user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            token_type auth.one_time_token_type NOT NULL,
            token_hash text NOT NULL CHECK (char_length(token_hash) > 0),
            relates_to text NOT NULL,
            created_at timestamp NOT NULL DEFAULT now(),
            updated_at timestamp NOT NULL DEFAULT now()
        );
        CREATE UNIQUE INDEX one_time_tokens_user_id_token_type_key ON auth.one_time_tokens (user_id, token_type);

        CREATE TYPE auth.code_challenge_method AS ENUM ('s256', 'plain');
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

        CREATE OR REPLACE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$
            SELECT coalesce(
                nullif(current_setting('request.jwt.claim.sub', true), ''),
                (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
            )::uuid
        $$;
        CREATE OR REPLACE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $$
            SELECT coalesce(
                nullif(current_setting('request.jwt.claim.role', true), ''),
                (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
            )::text
        $$;
        CREATE FUNCTION auth.email() RETURNS text LANGUAGE sql STABLE AS $$
            SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
        $$;
        CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$
            SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb
        $$;

        DO $$
        DECLARE
            name text;
        BEGIN
            FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'auth'::regnamespace AND relkind = 'r' LOOP
                EXECUTE format('ALTER TABLE auth.%I ENABLE ROW LEVEL SECURITY', name);
            END LOOP;
        END $$;
        """
}
