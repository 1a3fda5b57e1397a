-- Buckets and objects, as Supabase's databases have them: policies, functions and triggers of apps name these tables and
-- columns. What exists is left as it is, whoever made it; only what is missing is made. Row security is on and no policy
-- is made: nobody but the server itself and service_role reaches a row until the app says who may.

DO $migration$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'storage') THEN
        IF NOT has_database_privilege(current_database(), 'CREATE') THEN
            RAISE EXCEPTION 'the schema storage is missing and % may not create it', current_user
                USING HINT = format('As an administrator: CREATE SCHEMA storage AUTHORIZATION %I;', current_user);
        END IF;
        CREATE SCHEMA storage;
    ELSIF NOT (has_schema_privilege('storage', 'USAGE') AND has_schema_privilege('storage', 'CREATE')) THEN
        RAISE EXCEPTION 'the schema storage lacks functions, and % may not create them', current_user
            USING HINT = format('As an administrator: GRANT USAGE, CREATE ON SCHEMA storage TO %I;', current_user);
    END IF;

    IF to_regtype('storage.buckettype') IS NULL THEN
        CREATE TYPE storage.buckettype AS ENUM ('STANDARD', 'ANALYTICS', 'VECTOR');
    END IF;

    IF to_regclass('storage.buckets') IS NULL THEN
        CREATE TABLE storage.buckets (
            id text NOT NULL,
            name text NOT NULL,
            owner uuid,
            created_at timestamptz DEFAULT now(),
            updated_at timestamptz DEFAULT now(),
            public boolean DEFAULT false,
            avif_autodetection boolean DEFAULT false,
            file_size_limit bigint,
            allowed_mime_types text[],
            owner_id text,
            type storage.buckettype NOT NULL DEFAULT 'STANDARD',
            CONSTRAINT buckets_pkey PRIMARY KEY (id)
        );
        CREATE UNIQUE INDEX bname ON storage.buckets (name);
        COMMENT ON COLUMN storage.buckets.owner IS 'Superseded by owner_id.';
        ALTER TABLE storage.buckets ENABLE ROW LEVEL SECURITY;
    END IF;

    IF to_regclass('storage.objects') IS NULL THEN
        CREATE TABLE storage.objects (
            id uuid NOT NULL DEFAULT gen_random_uuid(),
            bucket_id text,
            name text,
            owner uuid,
            created_at timestamptz DEFAULT now(),
            updated_at timestamptz DEFAULT now(),
            last_accessed_at timestamptz DEFAULT now(),
            metadata jsonb,
            path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/')) STORED,
            version text,
            owner_id text,
            user_metadata jsonb,
            CONSTRAINT objects_pkey PRIMARY KEY (id),
            CONSTRAINT "objects_bucketId_fkey" FOREIGN KEY (bucket_id) REFERENCES storage.buckets (id)
        );
        CREATE UNIQUE INDEX bucketid_objname ON storage.objects (bucket_id, name);
        CREATE INDEX idx_objects_bucket_id_name ON storage.objects (bucket_id, name COLLATE "C");
        COMMENT ON COLUMN storage.objects.owner IS 'Superseded by owner_id.';
        ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;
    END IF;
END $migration$;

-- Parts of an object's name, for policies.
DO $migration$
BEGIN
    IF to_regprocedure('storage.foldername(text)') IS NULL THEN
        CREATE FUNCTION storage.foldername(name text) RETURNS text[]
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        AS $$ SELECT (string_to_array(name, '/'))[1:cardinality(string_to_array(name, '/')) - 1] $$;
        COMMENT ON FUNCTION storage.foldername(text) IS 'The folders of an object: {a,b} of a/b/c.png.';
    END IF;
    IF to_regprocedure('storage.filename(text)') IS NULL THEN
        CREATE FUNCTION storage.filename(name text) RETURNS text
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        AS $$ SELECT substring(name FROM '[^/]*$') $$;
        COMMENT ON FUNCTION storage.filename(text) IS 'The last part of an object''s name: c.png of a/b/c.png.';
    END IF;
    IF to_regprocedure('storage.extension(text)') IS NULL THEN
        CREATE FUNCTION storage.extension(name text) RETURNS text
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        AS $$ SELECT substring(substring(name FROM '[^/]*$') FROM '[^.]*$') $$;
        COMMENT ON FUNCTION storage.extension(text) IS 'What follows the last dot: png of a/b/c.png.';
    END IF;

    -- What a request does, such as storage.object.upload, for policies that allow only some of it.
    IF to_regprocedure('storage.operation()') IS NULL THEN
        CREATE FUNCTION storage.operation() RETURNS text
        LANGUAGE sql STABLE PARALLEL SAFE
        AS $$ SELECT current_setting('storage.operation', true) $$;
    END IF;
    IF to_regprocedure('storage.allow_only_operation(text)') IS NULL THEN
        CREATE FUNCTION storage.allow_only_operation(expected_operation text) RETURNS boolean
        LANGUAGE sql STABLE PARALLEL SAFE
        AS $$
            SELECT regexp_replace(coalesce(current_setting('storage.operation', true), ''), '^storage\.', '')
                = regexp_replace(coalesce(expected_operation, ''), '^storage\.', '')
        $$;
    END IF;
    IF to_regprocedure('storage.allow_any_operation(text[])') IS NULL THEN
        CREATE FUNCTION storage.allow_any_operation(expected_operations text[]) RETURNS boolean
        LANGUAGE sql STABLE PARALLEL SAFE
        AS $$
            SELECT EXISTS (
                SELECT FROM unnest(expected_operations) AS expected (operation)
                WHERE regexp_replace(coalesce(current_setting('storage.operation', true), ''), '^storage\.', '')
                    = regexp_replace(coalesce(expected.operation, ''), '^storage\.', '')
            )
        $$;
    END IF;
    IF to_regprocedure('storage.get_size_by_bucket()') IS NULL THEN
        CREATE FUNCTION storage.get_size_by_bucket() RETURNS TABLE (size bigint, bucket_id text)
        LANGUAGE sql STABLE
        AS $$
            SELECT sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id FROM storage.objects AS o GROUP BY o.bucket_id
        $$;
    END IF;
END $migration$;

-- The time of the last change, whoever makes it.
DO $migration$
BEGIN
    IF to_regprocedure('storage.update_updated_at_column()') IS NULL THEN
        CREATE FUNCTION storage.update_updated_at_column() RETURNS trigger
        LANGUAGE plpgsql
        AS $$
        BEGIN
            NEW.updated_at = now();
            RETURN NEW;
        END $$;
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'storage.objects'::regclass AND tgname = 'update_objects_updated_at'
    ) AND (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = 'storage.objects'::regclass) THEN
        CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects
            FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();
    END IF;
END $migration$;

-- The rights of the three roles; row security decides on the rows.
DO $migration$
DECLARE
    role text;
    item regclass;
BEGIN
    FOREACH role IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role);
        IF (SELECT pg_get_userbyid(nspowner) = current_user FROM pg_namespace WHERE nspname = 'storage') THEN
            EXECUTE format('GRANT USAGE ON SCHEMA storage TO %I', role);
        END IF;
        FOREACH item IN ARRAY ARRAY['storage.buckets', 'storage.objects']::regclass[] LOOP
            IF (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = item) THEN
                EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', item, role);
            END IF;
        END LOOP;
    END LOOP;
END $migration$;
