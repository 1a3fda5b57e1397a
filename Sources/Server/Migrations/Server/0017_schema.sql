-- The server's own schema. What it makes there is nobody else's; in public it makes functions with its name, no table.

-- Whoever may not create schemas finds one that an administrator has made.
DO $$ BEGIN
    IF to_regnamespace('swiftlet') IS NULL THEN
        CREATE SCHEMA swiftlet;
    END IF;
END $$;

-- Tables of other people that an app of this server has found and uses. The migrator fills it in.
CREATE TABLE IF NOT EXISTS swiftlet.adopted_tables (
    name text PRIMARY KEY,
    owner text NOT NULL,
    adopted_at timestamptz NOT NULL DEFAULT now()
);

CREATE OR REPLACE FUNCTION swiftlet_is_adopted(target regclass) RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT EXISTS (SELECT FROM swiftlet.adopted_tables WHERE to_regclass(name) = target) $$;

-- As before, but not for adopted tables: whom their owner lets in is the owner's decision. Databases that grant every new
-- table to everybody (ALTER DEFAULT PRIVILEGES, as Supabase's do) lose that grant here, as a grant of columns does not
-- take back a grant of the table.
CREATE OR REPLACE FUNCTION swiftlet_protect(target regclass, rule text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    role text;
BEGIN
    IF swiftlet_is_adopted(target) THEN
        RAISE NOTICE '% was there before: its row security is left as it is', target;
        RETURN;
    END IF;
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = target AND polname = 'swiftlet_tenant') THEN
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('REVOKE ALL ON %s FROM %I', target, role);
            END IF;
        END LOOP;
        EXECUTE format('CREATE POLICY swiftlet_tenant ON %s USING (%s) WITH CHECK (%s)', target, rule, rule);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION swiftlet_grant(privileges text, target regclass, VARIADIC roles text[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    role text;
BEGIN
    IF swiftlet_is_adopted(target) THEN
        RAISE NOTICE '% was there before: its grants are left as they are', target;
        RETURN;
    END IF;
    FOREACH role IN ARRAY roles LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('GRANT %s ON %s TO %I', privileges, target, role);
        END IF;
    END LOOP;
END $$;

-- The table of devices, for apps whose rows belong to devices: anonymous accounts whose id the app chose, with a secret
-- that is shown once. The id is the account's, so that auth.uid() is the device in every policy. Where there is a table
-- of that name it must be one of this shape.
CREATE OR REPLACE FUNCTION swiftlet_create_devices() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    missing text;
BEGIN
    IF to_regclass('public.devices') IS NOT NULL THEN
        SELECT string_agg(wanted, ', ') INTO missing
        FROM unnest(ARRAY['id', 'platform', 'model', 'app_version', 'secret_hash', 'created_at', 'updated_at']) AS wanted
        WHERE NOT EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = 'public.devices'::regclass AND attname = wanted AND NOT attisdropped
        );
        IF missing IS NOT NULL THEN
            RAISE EXCEPTION 'there is a table devices already, which lacks %', missing
                USING HINT = 'Rename that table, or serve no app whose rows belong to devices.';
        END IF;
        RETURN;
    END IF;
    CREATE TABLE public.devices (
        id uuid PRIMARY KEY,
        platform text,
        model text,
        app_version text,
        -- SHA-256 of the secret, which has 256 random bits.
        secret_hash text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
    );
    -- A device ends with its account. Where the accounts belong to others, the key may be refused.
    BEGIN
        ALTER TABLE public.devices
            ADD CONSTRAINT devices_account FOREIGN KEY (id) REFERENCES auth.users (id) ON DELETE CASCADE;
    EXCEPTION
        WHEN duplicate_object OR insufficient_privilege OR foreign_key_violation OR undefined_table OR invalid_schema_name
            THEN NULL;
    END;
    -- Each device sees itself, but not what its secret is compared with.
    PERFORM swiftlet_protect('public.devices', 'id::text = (SELECT swiftlet_user_id())');
    PERFORM swiftlet_grant(
        'SELECT (id, platform, model, app_version, created_at, updated_at), UPDATE (platform, model, app_version)',
        'public.devices', 'authenticated'
    );
    PERFORM swiftlet_grant('ALL', 'public.devices', 'service_role');
END $$;

REVOKE ALL ON FUNCTION swiftlet_is_adopted(regclass), swiftlet_create_devices() FROM PUBLIC;
