-- Recovery codes of second factors, in the tables that GoTrue has for them. Where users belong to others, their tables
-- are left as they are: without these, nobody can have recovery codes.

DO $migration$
DECLARE
    wanted text[] := ARRAY['mfa_recovery_code_sets', 'mfa_recovery_codes'];
    found text[];
    made text;
    role text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) OR NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'mfa_factors' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        RAISE NOTICE 'auth.mfa_factors does not belong to %: auth.mfa_recovery_codes is left as it is', current_user;
        RETURN;
    END IF;

    SELECT coalesce(array_agg(relname::text), '{}') INTO found FROM pg_class
    WHERE relnamespace = 'auth'::regnamespace AND relname = ANY (wanted);
    IF NOT wanted <@ found AND NOT has_schema_privilege('auth', 'CREATE') THEN
        RAISE EXCEPTION 'the schema auth lacks the table mfa_recovery_codes, and % may not create it', current_user
            USING HINT = format('As an administrator: GRANT USAGE, CREATE ON SCHEMA auth TO %I;', current_user);
    END IF;

    IF NOT 'mfa_recovery_code_sets' = ANY (found) THEN
        IF (
            SELECT pg_get_userbyid(typowner) = current_user FROM pg_type
            WHERE typname = 'factor_type' AND typnamespace = 'auth'::regnamespace
        ) THEN
            ALTER TYPE auth.factor_type ADD VALUE IF NOT EXISTS 'recovery_code';
        END IF;
        CREATE TABLE auth.mfa_recovery_code_sets (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            user_id uuid NOT NULL UNIQUE REFERENCES auth.users (id) ON DELETE CASCADE,
            mfa_factor_id uuid NOT NULL UNIQUE REFERENCES auth.mfa_factors (id) ON DELETE CASCADE,
            failed_verification_count integer NOT NULL DEFAULT 0,
            verification_locked_until timestamptz,
            created_at timestamptz NOT NULL DEFAULT now(),
            updated_at timestamptz NOT NULL DEFAULT now()
        );
    END IF;

    IF NOT 'mfa_recovery_codes' = ANY (found) THEN
        CREATE TABLE auth.mfa_recovery_codes (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            mfa_recovery_code_set_id uuid NOT NULL
                REFERENCES auth.mfa_recovery_code_sets (id) ON DELETE CASCADE,
            code_hash text NOT NULL,
            consumed_at timestamptz,
            created_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE INDEX mfa_recovery_codes_set_id_idx ON auth.mfa_recovery_codes (mfa_recovery_code_set_id);
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
