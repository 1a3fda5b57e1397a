-- Who is asking, under the names that row policies of Supabase projects use. Where they exist, whoever made them, they
-- are left as they are; in a schema that belongs to others nothing is made.

DO $migration$
DECLARE
    schema_owner name := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'auth');
    found text[];
    role text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        RAISE NOTICE 'auth.users does not belong to %: the functions of auth are left as they are', current_user;
        RETURN;
    END IF;

    SELECT coalesce(array_agg(proname::text), '{}') INTO found FROM pg_proc
    WHERE pronamespace = 'auth'::regnamespace AND pronargs = 0;

    IF has_schema_privilege('auth', 'CREATE') THEN
        IF NOT 'uid' = ANY (found) THEN
            CREATE FUNCTION auth.uid() RETURNS uuid
            LANGUAGE sql STABLE PARALLEL SAFE
            AS $$
                SELECT coalesce(
                    nullif(current_setting('request.jwt.claim.sub', true), ''),
                    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
                )::uuid
            $$;
            COMMENT ON FUNCTION auth.uid() IS 'The id of the user who asks; an error where it is not a uuid.';
        END IF;
        IF NOT 'role' = ANY (found) THEN
            CREATE FUNCTION auth.role() RETURNS text
            LANGUAGE sql STABLE PARALLEL SAFE
            AS $$
                SELECT coalesce(
                    nullif(current_setting('request.jwt.claim.role', true), ''),
                    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
                )
            $$;
        END IF;
        IF NOT 'email' = ANY (found) THEN
            CREATE FUNCTION auth.email() RETURNS text
            LANGUAGE sql STABLE PARALLEL SAFE
            AS $$
                SELECT coalesce(
                    nullif(current_setting('request.jwt.claim.email', true), ''),
                    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
                )
            $$;
        END IF;
        IF NOT 'jwt' = ANY (found) THEN
            CREATE FUNCTION auth.jwt() RETURNS jsonb
            LANGUAGE sql STABLE PARALLEL SAFE
            AS $$
                SELECT coalesce(
                    nullif(current_setting('request.jwt.claim', true), ''),
                    nullif(current_setting('request.jwt.claims', true), '')
                )::jsonb
            $$;
        END IF;
    END IF;

    -- Policies run these functions as whoever asks. They tell the asking session its own settings, nothing more.
    IF schema_owner = current_user THEN
        REVOKE ALL ON SCHEMA auth FROM PUBLIC;
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('GRANT USAGE ON SCHEMA auth TO %I', role);
            END IF;
        END LOOP;
    END IF;
END $migration$;
