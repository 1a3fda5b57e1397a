-- One table that holds what searches look at, of all tables whose rows are searched:
--     SELECT swiftlet.enable_search('notes', ARRAY['title', 'body']);
-- Only the server reads it: no policy lets anybody else. Triggers keep it; a job fills it with the rows that were there.

-- Lower case, without accents and the vowel signs of Arabic and Hebrew.
CREATE OR REPLACE FUNCTION swiftlet.search_text(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT lower(regexp_replace(normalize(value, NFKD), '[\u0300-\u036F\u0591-\u05C7\u064B-\u0652\u001F]', '', 'g')) $$;

-- The same for LIKE, in which %, _ and \ mean themselves.
CREATE OR REPLACE FUNCTION swiftlet.search_pattern(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT regexp_replace(swiftlet.search_text(value), '([\\%_])', '\\\1', 'g') $$;

CREATE TABLE IF NOT EXISTS swiftlet.search_entries (
    tenant text NOT NULL,
    -- The table whose row it is.
    kind text NOT NULL,
    id text NOT NULL,
    -- Whose row it is, where that matters.
    owner text,
    title text,
    -- The values, each behind a U+001F, as swiftlet.search_text makes them.
    text text NOT NULL,
    PRIMARY KEY (tenant, kind, id)
);

CREATE TABLE IF NOT EXISTS swiftlet.searched_kinds (
    kind text PRIMARY KEY,
    source regclass NOT NULL,
    columns text[] NOT NULL,
    title text NOT NULL,
    owner text,
    -- How far the job has come; NULL before it begins.
    filled_to text,
    filled_at timestamptz,
    -- Why it came no further, and when: it is tried again after an hour.
    fault text,
    fault_at timestamptz
);

ALTER TABLE swiftlet.search_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE swiftlet.searched_kinds ENABLE ROW LEVEL SECURITY;

-- Everything works without the extensions: then a search reads what the tenant has. They are the app's: where they lie,
-- and so what else its statements find, is not ours to say. Whoever makes them later calls the function again; it says
-- what is missing, or nothing.
CREATE OR REPLACE FUNCTION swiftlet.index_search() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    parts name := (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm');
    missing text := (
        SELECT string_agg(name, ', ') FROM unnest(ARRAY['pg_trgm', 'btree_gin']) name
        WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = name)
    );
BEGIN
    IF missing IS NOT NULL THEN
        RETURN missing;
    END IF;
    IF to_regclass('swiftlet.search_entries_text') IS NULL THEN
        EXECUTE format(
            'CREATE INDEX search_entries_text ON swiftlet.search_entries USING gin (tenant, text %I.gin_trgm_ops)', parts
        );
    END IF;
    RETURN NULL;
END $$;

SELECT swiftlet.index_search();

-- The entry of a row; none of one whose id no index could hold. A column that the table lacks, or has no longer, holds nothing: no write fails for a search.
CREATE OR REPLACE FUNCTION swiftlet.search_entry(
    cells jsonb, in_kind text, in_columns text[], in_title text, in_owner text
) RETURNS swiftlet.search_entries LANGUAGE sql IMMUTABLE AS $$
    SELECT cells ->> 'tenant_id', in_kind, cells ->> 'id', cells ->> in_owner, left(cells ->> in_title, 1000),
        (SELECT string_agg(E'\x1F' || left(swiftlet.search_text(cells ->> name), 10000), '' ORDER BY place) || E'\x1F'
         FROM unnest(in_columns) WITH ORDINALITY AS named (name, place))
    WHERE cells ->> 'tenant_id' IS NOT NULL AND cells ->> 'id' IS NOT NULL AND cells ->> 'deleted_at' IS NULL
        AND octet_length(cells ->> 'id') <= 500 AND octet_length(cells ->> 'tenant_id') <= 500
$$;

CREATE OR REPLACE FUNCTION swiftlet.keep_search_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known swiftlet.searched_kinds;
    entry swiftlet.search_entries;
    former jsonb;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM swiftlet.search_entries WHERE kind = TG_ARGV[0];
        RETURN NULL;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        SELECT * INTO known FROM swiftlet.searched_kinds WHERE kind = TG_ARGV[0];
        entry := swiftlet.search_entry(to_jsonb(NEW), known.kind, known.columns, known.title, known.owner);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        former := to_jsonb(OLD);
        IF entry.id IS NULL OR entry.text IS NULL OR (entry.tenant, entry.id) IS DISTINCT FROM
            (former ->> 'tenant_id', former ->> 'id')
        THEN
            DELETE FROM swiftlet.search_entries
            WHERE tenant = former ->> 'tenant_id' AND kind = TG_ARGV[0] AND id = former ->> 'id';
        END IF;
    END IF;
    IF entry.id IS NOT NULL AND entry.text IS NOT NULL THEN
        INSERT INTO swiftlet.search_entries AS kept SELECT entry.*
        ON CONFLICT (tenant, kind, id) DO UPDATE
            SET owner = excluded.owner, title = excluded.title, text = excluded.text
            WHERE (kept.owner, kept.title, kept.text) IS DISTINCT FROM (excluded.owner, excluded.title, excluded.text);
    END IF;
    RETURN NULL;
END $$;

-- Has the rows of a table with the columns tenant_id and id searched by these columns. The first is what results are
-- called, unless another is named; `owner` is the column of the user whose row it is. Said again, it begins anew.
CREATE OR REPLACE FUNCTION swiftlet.enable_search(
    target regclass, columns text[], title text DEFAULT NULL, owner text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    named text := (SELECT relname FROM pg_class WHERE oid = target);
    other regclass;
    missing text;
BEGIN
    IF coalesce(cardinality(columns), 0) NOT BETWEEN 1 AND 20 THEN
        RAISE EXCEPTION 'a search of % has 1 to 20 columns', target;
    END IF;
    SELECT name INTO missing FROM unnest(columns || ARRAY['tenant_id', 'id', title, owner]) name
    WHERE name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM pg_attribute WHERE attrelid = target AND attname = name AND NOT attisdropped AND attnum > 0
    ) LIMIT 1;
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION '% has no column %', target, missing;
    END IF;
    SELECT source INTO other FROM swiftlet.searched_kinds k
    WHERE kind = named AND source <> target AND EXISTS (SELECT FROM pg_class WHERE oid = k.source);
    IF other IS NOT NULL THEN
        RAISE EXCEPTION 'a table of the same name is searched already: %', other;
    END IF;
    INSERT INTO swiftlet.searched_kinds (kind, source, columns, title, owner)
    VALUES (named, target, columns, coalesce(title, columns[1]), owner)
    ON CONFLICT (kind) DO UPDATE SET source = excluded.source, columns = excluded.columns, title = excluded.title,
        owner = excluded.owner, filled_to = NULL, filled_at = NULL, fault = NULL, fault_at = NULL;
    missing := swiftlet.index_search();
    IF missing IS NOT NULL THEN
        RAISE NOTICE 'searches read all that a tenant has, as the database lacks %: create it, and then: SELECT swiftlet.index_search()',
            missing;
    END IF;
    DELETE FROM swiftlet.search_entries WHERE kind = named;
    EXECUTE format('DROP TRIGGER IF EXISTS swiftlet_search ON %s', target);
    EXECUTE format('DROP TRIGGER IF EXISTS swiftlet_search_truncate ON %s', target);
    EXECUTE format('CREATE TRIGGER swiftlet_search AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW '
        'EXECUTE FUNCTION swiftlet.keep_search_entry(%L)', target, named);
    EXECUTE format('CREATE TRIGGER swiftlet_search_truncate AFTER TRUNCATE ON %s FOR EACH STATEMENT '
        'EXECUTE FUNCTION swiftlet.keep_search_entry(%L)', target, named);
END $$;

CREATE OR REPLACE FUNCTION swiftlet.disable_search(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS swiftlet_search ON %s', target);
    EXECUTE format('DROP TRIGGER IF EXISTS swiftlet_search_truncate ON %s', target);
    DELETE FROM swiftlet.search_entries WHERE kind IN (SELECT kind FROM swiftlet.searched_kinds WHERE source = target);
    DELETE FROM swiftlet.searched_kinds WHERE source = target;
END $$;

-- Adds entries of up to `count` rows that were there before the triggers, and says whether there may be more to do. The
-- rows are locked against changes meanwhile, so that no entry outlives its row, or is older than it.
CREATE OR REPLACE FUNCTION swiftlet.fill_search(count integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    known swiftlet.searched_kinds;
    identity text;
    last text;
BEGIN
    SELECT * INTO known FROM swiftlet.searched_kinds
    WHERE filled_at IS NULL AND (fault_at IS NULL OR fault_at < now() - interval '1 hour') ORDER BY kind LIMIT 1
    FOR UPDATE SKIP LOCKED;
    IF known.kind IS NULL THEN
        RETURN false;
    END IF;
    SELECT format_type(atttypid, atttypmod) INTO identity FROM pg_attribute
    WHERE attrelid = known.source AND attname = 'id' AND NOT attisdropped;
    IF identity IS NULL THEN
        UPDATE swiftlet.searched_kinds SET filled_at = now() WHERE kind = known.kind;
        RETURN true;
    END IF;
    EXECUTE format(
        'WITH found AS (SELECT to_jsonb(t) AS cells, t.id FROM %s t WHERE $1 IS NULL OR t.id > $1::%s '
        'ORDER BY t.id LIMIT $2 FOR SHARE), '
        'made AS (SELECT entry.* FROM found, swiftlet.search_entry(found.cells, $3, $4, $5, $6) entry), '
        'added AS (INSERT INTO swiftlet.search_entries SELECT * FROM made WHERE id IS NOT NULL AND text IS NOT NULL '
        'ON CONFLICT (tenant, kind, id) DO UPDATE SET owner = excluded.owner, title = excluded.title, text = excluded.text) '
        'SELECT id::text FROM found ORDER BY id DESC LIMIT 1',
        known.source, identity
    ) INTO last USING known.filled_to, count, known.kind, known.columns, known.title, known.owner;
    UPDATE swiftlet.searched_kinds
    SET filled_to = coalesce(last, filled_to), filled_at = CASE WHEN last IS NULL THEN now() END, fault = NULL,
        fault_at = NULL
    WHERE kind = known.kind;
    RETURN true;
EXCEPTION
    -- The others are not held up by it. Nothing else was changed by then.
    WHEN OTHERS THEN
        IF known.kind IS NULL THEN
            RAISE;
        END IF;
        UPDATE swiftlet.searched_kinds SET fault = left(SQLERRM, 1000), fault_at = clock_timestamp()
        WHERE kind = known.kind;
        RAISE WARNING 'the rows of % are not in the index of searches: %', known.source, SQLERRM;
        RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION swiftlet.keep_search_entry(), swiftlet.index_search(), swiftlet.disable_search(regclass),
    swiftlet.enable_search(regclass, text[], text, text), swiftlet.fill_search(integer) FROM PUBLIC;
