-- The log of changes of rows: what the elected server has read from the write-ahead log, for as long as clients may come
-- back for it. Only the server reads and writes it: no policy lets anybody else. It is not in the schema realtime, which on
-- Supabase's own databases belongs to others.
--
-- It is a ring of sixteen tables. When the present one is full or old, the oldest is truncated and becomes the next, so
-- that nothing is ever deleted row by row.

DO $$ BEGIN
    IF to_regnamespace('swiftlet') IS NULL THEN
        CREATE SCHEMA swiftlet;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS swiftlet.change_stream (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- Grows with each new replication slot: positions of another one mean nothing.
    epoch bigint NOT NULL DEFAULT 0,
    -- The log is complete behind this position. NULL while the slot is being made.
    floor_lsn pg_lsn,
    floor_index integer NOT NULL DEFAULT 0,
    -- The position of the last change in the log.
    last_lsn pg_lsn NOT NULL DEFAULT '0/0',
    last_index integer NOT NULL DEFAULT 0,
    -- The table of the ring that is written now, since when, and how much was written.
    part smallint NOT NULL DEFAULT 0,
    part_since timestamptz NOT NULL DEFAULT clock_timestamp(),
    part_bytes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

INSERT INTO swiftlet.change_stream DEFAULT VALUES ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS swiftlet.changes (
    -- Where the transaction's commit is logged, and the number of the change within it.
    lsn pg_lsn NOT NULL,
    index integer NOT NULL,
    part smallint NOT NULL,
    transaction bigint NOT NULL,
    committed_at timestamptz NOT NULL,
    relation oid NOT NULL,
    -- I, U, D or T.
    operation "char" NOT NULL,
    new_row json,
    old_row json,
    -- The old row is whole, not only its key.
    old_is_whole boolean NOT NULL DEFAULT false,
    PRIMARY KEY (lsn, index, part)
) PARTITION BY LIST (part);

DO $$ BEGIN
    FOR number IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE IF NOT EXISTS swiftlet.changes_%s PARTITION OF swiftlet.changes FOR VALUES IN (%s)'
            ' WITH (autovacuum_enabled = false)',
            number, number
        );
        EXECUTE format('ALTER TABLE swiftlet.changes_%s ENABLE ROW LEVEL SECURITY', number);
    END LOOP;
END $$;

ALTER TABLE swiftlet.changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE swiftlet.change_stream ENABLE ROW LEVEL SECURITY;
