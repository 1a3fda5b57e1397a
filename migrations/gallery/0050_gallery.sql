-- The image gallery, which the app reads and writes through /rest/v1: with REST_SCHEMAS=gallery,public its tables are
-- what /rest/v1/users and /rest/v1/images mean. Where the schema is missing and may not be made, nothing is.

DO $migration$
DECLARE
    role text;
BEGIN
    IF to_regnamespace('gallery') IS NULL AND NOT has_database_privilege(current_database(), 'CREATE') THEN
        RAISE NOTICE 'no gallery: % may not make its schema', current_user;
        RETURN;
    END IF;
    CREATE SCHEMA IF NOT EXISTS gallery;

    CREATE TABLE IF NOT EXISTS gallery.users (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        apple_id text NOT NULL UNIQUE,
        email text,
        name text,
        avatar_url text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_login timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE IF NOT EXISTS gallery.images (
        id serial PRIMARY KEY,
        user_id uuid REFERENCES gallery.users (id) ON DELETE CASCADE,
        image_url text NOT NULL,
        photo_date timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        metadata jsonb
    );
    CREATE INDEX IF NOT EXISTS images_user ON gallery.images (user_id, photo_date DESC NULLS LAST, id);
    CREATE INDEX IF NOT EXISTS images_date ON gallery.images (photo_date DESC NULLS LAST, id);

    -- Closed by default: people reach their own row and change their own images; whoever is signed in sees all images.
    ALTER TABLE gallery.users ENABLE ROW LEVEL SECURITY;
    ALTER TABLE gallery.images ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS own ON gallery.users;
    CREATE POLICY own ON gallery.users USING (id::text = (SELECT swiftlet_user_id()))
        WITH CHECK (id::text = (SELECT swiftlet_user_id()));
    DROP POLICY IF EXISTS own ON gallery.images;
    CREATE POLICY own ON gallery.images USING (user_id::text = (SELECT swiftlet_user_id()))
        WITH CHECK (user_id::text = (SELECT swiftlet_user_id()));
    DROP POLICY IF EXISTS seen ON gallery.images;
    CREATE POLICY seen ON gallery.images FOR SELECT USING ((SELECT swiftlet_user_id()) IS NOT NULL);

    FOREACH role IN ARRAY ARRAY['authenticated', 'service_role'] LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role);
        EXECUTE format('GRANT USAGE ON SCHEMA gallery TO %I', role);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON gallery.users, gallery.images TO %I', role);
        EXECUTE format('GRANT USAGE ON SEQUENCE gallery.images_id_seq TO %I', role);
    END LOOP;

    -- Opens the gallery to everybody who has the app's key, as apps without sign-in need it, or closes it again.
    --     SELECT gallery.allow_anonymous(true);
    CREATE OR REPLACE FUNCTION gallery.allow_anonymous(allowed boolean) RETURNS void
    LANGUAGE plpgsql
    AS $function$
    BEGIN
        DROP POLICY IF EXISTS anonymous ON gallery.users;
        DROP POLICY IF EXISTS anonymous ON gallery.images;
        IF allowed THEN
            GRANT USAGE ON SCHEMA gallery TO anon;
            GRANT SELECT, INSERT, UPDATE, DELETE ON gallery.users, gallery.images TO anon;
            GRANT USAGE ON SEQUENCE gallery.images_id_seq TO anon;
            CREATE POLICY anonymous ON gallery.users TO anon USING (true) WITH CHECK (true);
            CREATE POLICY anonymous ON gallery.images TO anon USING (true) WITH CHECK (true);
        ELSE
            REVOKE ALL ON gallery.users, gallery.images FROM anon;
            REVOKE ALL ON SEQUENCE gallery.images_id_seq FROM anon;
            REVOKE USAGE ON SCHEMA gallery FROM anon;
        END IF;
    END $function$;
    REVOKE ALL ON FUNCTION gallery.allow_anonymous(boolean) FROM PUBLIC;
END $migration$;
