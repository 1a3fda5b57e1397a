-- What private channels and broadcasts from the database need, as Supabase's databases have it: the schema, the table
-- whose policies decide who may read and write a topic, and the functions that triggers call. What is there already
-- stays as it is.

DO $migration$
DECLARE
    role text;
BEGIN
    IF to_regnamespace('realtime') IS NULL THEN
        CREATE SCHEMA realtime;
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('GRANT USAGE ON SCHEMA realtime TO %I', role);
            END IF;
        END LOOP;
    END IF;

    IF to_regclass('realtime.messages') IS NULL THEN
        -- The times are UTC: a day is a partition.
        CREATE TABLE realtime.messages (
            topic text NOT NULL,
            extension text NOT NULL,
            payload jsonb,
            event text,
            private boolean DEFAULT false,
            updated_at timestamp without time zone NOT NULL DEFAULT (now() AT TIME ZONE 'utc'),
            inserted_at timestamp without time zone NOT NULL DEFAULT (now() AT TIME ZONE 'utc'),
            id uuid NOT NULL DEFAULT gen_random_uuid(),
            binary_payload bytea,
            PRIMARY KEY (id, inserted_at)
        ) PARTITION BY RANGE (inserted_at);
        CREATE INDEX messages_inserted_at_topic_index ON realtime.messages (inserted_at DESC, topic)
            WHERE extension = 'broadcast' AND private;
        -- Without a policy nobody enters a private channel.
        ALTER TABLE realtime.messages ENABLE ROW LEVEL SECURITY;
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('GRANT SELECT, INSERT, UPDATE ON realtime.messages TO %I', role);
            END IF;
        END LOOP;
        COMMENT ON TABLE realtime.messages IS 'swiftlet: its policies decide on private channels';
    END IF;

    IF to_regprocedure('realtime.topic()') IS NULL THEN
        CREATE FUNCTION realtime.topic() RETURNS text
        LANGUAGE sql STABLE
        AS $$ SELECT nullif(current_setting('realtime.topic', true), '') $$;
    END IF;

    IF to_regprocedure('realtime.send(jsonb, text, text, boolean)') IS NULL THEN
        CREATE FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean DEFAULT true) RETURNS void
        LANGUAGE plpgsql
        AS $$
        DECLARE
            message uuid := gen_random_uuid();
            content jsonb := payload;
        BEGIN
            IF jsonb_typeof(content) = 'object' AND NOT content ? 'id' THEN
                content := content || jsonb_build_object('id', message);
            END IF;
            PERFORM set_config('realtime.topic', topic, true);
            INSERT INTO realtime.messages (id, payload, event, topic, private, extension)
                VALUES (message, content, event, topic, private, 'broadcast');
        EXCEPTION
            -- Whoever changes a row is not stopped by those who listen.
            WHEN OTHERS THEN RAISE WARNING 'ErrorSendingBroadcastMessage: %', SQLERRM;
        END $$;
    END IF;

    IF to_regprocedure('realtime.send_binary(bytea, text, text, boolean)') IS NULL THEN
        CREATE FUNCTION realtime.send_binary(payload bytea, event text, topic text, private boolean DEFAULT true)
        RETURNS void
        LANGUAGE plpgsql
        AS $$
        BEGIN
            PERFORM set_config('realtime.topic', topic, true);
            INSERT INTO realtime.messages (binary_payload, event, topic, private, extension)
                VALUES (payload, event, topic, private, 'broadcast');
        EXCEPTION
            WHEN OTHERS THEN RAISE WARNING 'ErrorSendingBroadcastMessage: %', SQLERRM;
        END $$;
    END IF;

    IF to_regprocedure('realtime.broadcast_changes(text, text, text, text, text, record, record, text)') IS NULL THEN
        CREATE FUNCTION realtime.broadcast_changes(
            topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
            level text DEFAULT 'ROW'
        ) RETURNS void
        LANGUAGE plpgsql
        AS $$
        BEGIN
            IF level <> 'ROW' THEN
                RAISE EXCEPTION 'function can only be triggered for each row, not for each statement';
            END IF;
            PERFORM realtime.send(
                jsonb_build_object(
                    'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema
                ),
                event_name,
                topic_name
            );
        END $$;
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE NOTICE 'private channels and broadcasts from the database are not to be had: % may not make what is missing in realtime', current_user;
END $migration$;

-- Partitions for the days around now; those that are older than three days go. Only where the table is ours.
DO $migration$ BEGIN
    IF obj_description(to_regclass('realtime.messages')) IS DISTINCT FROM
        'swiftlet: its policies decide on private channels' THEN
        RETURN;
    END IF;

    CREATE OR REPLACE FUNCTION swiftlet.keep_messages() RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
        today date := (now() AT TIME ZONE 'utc')::date;
        partition text;
    BEGIN
        -- Of several servers one at a time.
        PERFORM pg_advisory_xact_lock(hashtext('swiftlet.keep_messages'));
        FOR day IN -1 .. 4 LOOP
            EXECUTE format(
                'CREATE TABLE IF NOT EXISTS realtime.%I PARTITION OF realtime.messages FOR VALUES FROM (%L) TO (%L)',
                'messages_' || to_char(today + day, 'YYYY_MM_DD'), today + day, today + day + 1
            );
        END LOOP;
        FOR partition IN
            SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid
            WHERE inhparent = 'realtime.messages'::regclass AND relname ~ '^messages_\d{4}_\d\d_\d\d$'
                AND to_date(right(relname, 10), 'YYYY_MM_DD') < today - 3
        LOOP
            EXECUTE format('DROP TABLE realtime.%I', partition);
        END LOOP;
    END $$;
    REVOKE ALL ON FUNCTION swiftlet.keep_messages() FROM PUBLIC;
    PERFORM swiftlet.keep_messages();
END $migration$;

-- Servers are told of each message that is committed. Rows that only ask the policies have no event.
CREATE OR REPLACE FUNCTION swiftlet.announce_message() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM pg_notify('swiftlet_messages', NEW.id::text);
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION swiftlet.announce_message() FROM PUBLIC;

DO $migration$ BEGIN
    IF to_regclass('realtime.messages') IS NULL THEN
        RETURN;
    END IF;
    CREATE OR REPLACE TRIGGER swiftlet_announce AFTER INSERT ON realtime.messages
        FOR EACH ROW WHEN (NEW.extension = 'broadcast' AND NEW.event IS NOT NULL)
        EXECUTE FUNCTION swiftlet.announce_message();
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE NOTICE 'broadcasts from the database are not delivered: % may not add a trigger to realtime.messages', current_user;
END $migration$;
