-- What one server tells the others of a database and is too long for a notification. It lives for a minute.
CREATE UNLOGGED TABLE IF NOT EXISTS swiftlet.realtime_parcels (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    content text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS realtime_parcels_made_at ON swiftlet.realtime_parcels (made_at);
