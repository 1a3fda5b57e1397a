-- Offline sync: which tables apps may keep copies of, and how far each app's queue of changes was applied. Only the server
-- reads and writes these tables: no policy lets anybody else.

CREATE TABLE IF NOT EXISTS swiftlet.sync_tables (
    schema_name text NOT NULL,
    table_name text NOT NULL,
    -- Tables that functions in the policies read. NULL: nothing was said, so there may be no such function.
    reads text[],
    PRIMARY KEY (schema_name, table_name)
);

CREATE TABLE IF NOT EXISTS swiftlet.sync_clients (
    -- Made by the app, one for each copy.
    id uuid PRIMARY KEY,
    user_id text NOT NULL,
    -- The number of the last change that was applied or refused, and what it was.
    last_id bigint NOT NULL DEFAULT 0,
    last_digest text NOT NULL DEFAULT '',
    -- What became of changes that were not applied, until the app has heard of it.
    outcomes jsonb NOT NULL DEFAULT '[]',
    seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS sync_clients_user ON swiftlet.sync_clients (user_id, seen_at);

ALTER TABLE swiftlet.sync_tables ENABLE ROW LEVEL SECURITY;
ALTER TABLE swiftlet.sync_clients ENABLE ROW LEVEL SECURITY;

-- Publishes a table with its whole old rows, as the reader of changes needs it.
CREATE OR REPLACE FUNCTION swiftlet.publish_for_sync(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = target) IS DISTINCT FROM 'r' THEN
        RAISE EXCEPTION '% is not a plain table', target;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_publication WHERE pubname = 'supabase_realtime') THEN
        CREATE PUBLICATION supabase_realtime;
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM pg_publication_tables
        WHERE pubname = 'supabase_realtime' AND to_regclass(format('%I.%I', schemaname, tablename)) = target
    ) THEN
        EXECUTE format('ALTER PUBLICATION supabase_realtime ADD TABLE %s', target);
    END IF;
    IF (SELECT relreplident FROM pg_class WHERE oid = target) <> 'f' THEN
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', target);
    END IF;
END $$;

-- Lets apps keep a copy of the rows that they may see, and change it offline:
--     SELECT swiftlet.enable_sync('notes');
-- The tables that its policies read are published too. A policy that calls a function of yours hides what it reads:
-- name those tables, or say '{}' if it reads none.
CREATE OR REPLACE FUNCTION swiftlet.enable_sync(target regclass, reads regclass[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    other regclass;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = target AND indisprimary) THEN
        RAISE EXCEPTION '% has no primary key', target;
    END IF;
    IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = target) THEN
        RAISE EXCEPTION '% has no row security', target
            USING HINT = 'ALTER TABLE ... ENABLE ROW LEVEL SECURITY: its policies say who gets which rows.';
    END IF;
    FOR other IN
        WITH RECURSIVE reach (relation) AS (
            SELECT named::oid FROM unnest(ARRAY[target] || coalesce(enable_sync.reads, '{}')) AS named
            UNION
            SELECT depends.refobjid FROM reach
            JOIN pg_policy AS policy ON policy.polrelid = reach.relation AND policy.polcmd IN ('r', '*')
            JOIN pg_depend AS depends ON depends.classid = 'pg_policy'::regclass AND depends.objid = policy.oid
                AND depends.refclassid = 'pg_class'::regclass AND depends.deptype = 'n'
        )
        SELECT relation FROM reach
    LOOP
        PERFORM swiftlet.publish_for_sync(other);
    END LOOP;
    INSERT INTO swiftlet.sync_tables (schema_name, table_name, reads)
    SELECT schema_.nspname, table_.relname, CASE WHEN enable_sync.reads IS NOT NULL THEN ARRAY(
        SELECT format('%I.%I', read_schema.nspname, read_table.relname)
        FROM unnest(enable_sync.reads) AS named
        JOIN pg_class AS read_table ON read_table.oid = named
        JOIN pg_namespace AS read_schema ON read_schema.oid = read_table.relnamespace
    ) END
    FROM pg_class AS table_ JOIN pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
    WHERE table_.oid = target
    ON CONFLICT (schema_name, table_name) DO UPDATE SET reads = EXCLUDED.reads;
    PERFORM pg_notify('swiftlet_changes', '');
END $$;

-- Apps get no more of the table. It stays published: see `swiftlet realtime remove`.
CREATE OR REPLACE FUNCTION swiftlet.disable_sync(target regclass) RETURNS void LANGUAGE sql AS $$
    DELETE FROM swiftlet.sync_tables AS known
    USING pg_class AS table_ JOIN pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
    WHERE table_.oid = target AND known.schema_name = schema_.nspname AND known.table_name = table_.relname
$$;

REVOKE ALL ON FUNCTION swiftlet.publish_for_sync(regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION swiftlet.enable_sync(regclass, regclass[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION swiftlet.disable_sync(regclass) FROM PUBLIC;
