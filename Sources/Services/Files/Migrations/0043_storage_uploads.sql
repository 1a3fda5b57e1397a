-- Uploads that come in several requests. What has come of one is a file of the server's own; its row says what it is to
-- become, and whose it is.

CREATE TABLE IF NOT EXISTS storage.swiftlet_uploads (
    id uuid PRIMARY KEY,
    -- That of the object in the end.
    version text NOT NULL,
    bucket_id text NOT NULL,
    name text NOT NULL,
    length bigint NOT NULL CHECK (length >= 0),
    -- As the client has sent it.
    metadata text NOT NULL,
    is_upsert boolean NOT NULL,
    role text NOT NULL,
    owner_id text,
    -- A finished one is an object; the content of an ended one is to be removed.
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'finished', 'ended')),
    expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS swiftlet_uploads_expires_at ON storage.swiftlet_uploads (expires_at);
CREATE INDEX IF NOT EXISTS swiftlet_uploads_open ON storage.swiftlet_uploads (role, owner_id) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS swiftlet_uploads_ended ON storage.swiftlet_uploads (id) WHERE state = 'ended';
ALTER TABLE storage.swiftlet_uploads ENABLE ROW LEVEL SECURITY;

-- Stands in the transaction that makes the object, so that of several that finish an upload, or end it, one does.
CREATE OR REPLACE FUNCTION storage.swiftlet_finish_upload(upload uuid) RETURNS void
LANGUAGE plpgsql SET search_path = ''
AS $$
BEGIN
    UPDATE storage.swiftlet_uploads SET state = 'finished' WHERE id = upload AND state = 'open';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the upload is not open' USING ERRCODE = 'no_data_found';
    END IF;
END $$;
REVOKE ALL ON FUNCTION storage.swiftlet_finish_upload(uuid) FROM PUBLIC;
