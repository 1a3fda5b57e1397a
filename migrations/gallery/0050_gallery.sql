-- The image gallery, which the app reads and writes through /rest/v1: with REST_SCHEMAS=gallery,public its tables are
-- what /rest/v1/users and /rest/v1/images mean.

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
CREATE POLICY own ON gallery.users TO authenticated
    USING (id = (SELECT auth.uid())) WITH CHECK (id = (SELECT auth.uid()));
DROP POLICY IF EXISTS seen ON gallery.images;
CREATE POLICY seen ON gallery.images FOR SELECT TO authenticated USING (true);
DROP POLICY IF EXISTS own ON gallery.images;
CREATE POLICY own ON gallery.images TO authenticated
    USING (user_id = (SELECT auth.uid())) WITH CHECK (user_id = (SELECT auth.uid()));

GRANT USAGE ON SCHEMA gallery TO authenticated, service_role;
GRANT SELECT, INSERT, UPDATE, DELETE ON gallery.users, gallery.images TO authenticated;
GRANT ALL ON gallery.users, gallery.images TO service_role;
GRANT USAGE ON SEQUENCE gallery.images_id_seq TO authenticated, service_role;

-- Opens the gallery to everybody who has the app's key, as apps without sign-in need it, or closes it again.
--     SELECT gallery.allow_anonymous(true);
CREATE OR REPLACE FUNCTION gallery.allow_anonymous(allowed boolean) RETURNS void
LANGUAGE plpgsql
AS $$
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
END $$;
REVOKE ALL ON FUNCTION gallery.allow_anonymous(boolean) FROM PUBLIC;
