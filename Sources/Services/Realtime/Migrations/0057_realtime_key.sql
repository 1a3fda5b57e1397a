-- What servers of one database sign their notifications with: whoever may connect may send those. It is made here, so that
-- all servers have it; only the server reads it.
CREATE TABLE IF NOT EXISTS swiftlet.realtime_key (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    key text NOT NULL
);
INSERT INTO swiftlet.realtime_key (key)
VALUES (replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')) ON CONFLICT DO NOTHING;
ALTER TABLE swiftlet.realtime_key ENABLE ROW LEVEL SECURITY;
