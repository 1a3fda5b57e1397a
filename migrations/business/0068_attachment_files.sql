-- However a row of an attachment ends, with its ticket, its tenant or by hand, its file is noted for removal. The server
-- removes it after STORAGE_PURGE_AFTER. A server that keeps no notes yet deletes rows as before.

CREATE OR REPLACE FUNCTION swiftlet_drop_attachment_file() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF to_regclass('swiftlet.unkept_files') IS NOT NULL THEN
        INSERT INTO swiftlet.unkept_files (key, due) VALUES (OLD.storage_key, clock_timestamp())
        ON CONFLICT (key) DO UPDATE SET due = EXCLUDED.due;
    END IF;
    RETURN NULL;
END $$;

-- It is called by the trigger alone.
REVOKE ALL ON FUNCTION swiftlet_drop_attachment_file() FROM PUBLIC;

DROP TRIGGER IF EXISTS swiftlet_drop_file ON service_ticket_attachments;
CREATE TRIGGER swiftlet_drop_file AFTER DELETE ON service_ticket_attachments
    FOR EACH ROW EXECUTE FUNCTION swiftlet_drop_attachment_file();
