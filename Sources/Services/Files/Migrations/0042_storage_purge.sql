-- Files whose rows are gone or have other content now, whoever changed the rows: requests, SQL, cascades. A job removes
-- them some time later, so that those who read them come to their end, and backups find what their rows name.

CREATE TABLE IF NOT EXISTS storage.swiftlet_purge (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version text NOT NULL,
    bucket_id text,
    name text,
    size bigint,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS swiftlet_purge_at ON storage.swiftlet_purge (at);
ALTER TABLE storage.swiftlet_purge ENABLE ROW LEVEL SECURITY;

-- Callers may not write there themselves, so these run as their owner.
CREATE OR REPLACE FUNCTION storage.swiftlet_after_delete() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    INSERT INTO storage.swiftlet_purge (version, bucket_id, name, size)
    SELECT o.version, o.bucket_id, o.name,
        CASE WHEN jsonb_typeof(o.metadata -> 'size') = 'number' THEN trunc((o.metadata -> 'size')::numeric)::bigint END
    FROM gone AS o WHERE o.version <> '';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION storage.swiftlet_after_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    INSERT INTO storage.swiftlet_purge (version, bucket_id, name, size)
    VALUES (
        OLD.version, OLD.bucket_id, OLD.name,
        CASE WHEN jsonb_typeof(OLD.metadata -> 'size') = 'number' THEN trunc((OLD.metadata -> 'size')::numeric)::bigint END
    );
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION storage.swiftlet_after_delete(), storage.swiftlet_after_update() FROM PUBLIC;

DO $migration$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'storage.objects'::regclass AND tgname = 'swiftlet_after_delete'
    ) THEN
        CREATE TRIGGER swiftlet_after_delete AFTER DELETE ON storage.objects
            REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION storage.swiftlet_after_delete();
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = 'storage.objects'::regclass AND tgname = 'swiftlet_after_update'
    ) THEN
        CREATE TRIGGER swiftlet_after_update AFTER UPDATE OF version ON storage.objects
            FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version AND OLD.version <> '')
            EXECUTE FUNCTION storage.swiftlet_after_update();
    END IF;

    -- SQL may have copied a row, whose file then has two.
    IF (SELECT pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = 'storage.objects'::regclass) THEN
        CREATE INDEX IF NOT EXISTS swiftlet_objects_version ON storage.objects (version);
    END IF;
END $migration$;
