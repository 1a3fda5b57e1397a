-- Answers of requests with an Idempotency-Key, so that a request that is sent again takes effect once. Only the server
-- reads and writes them: no policy lets anybody else.

CREATE TABLE IF NOT EXISTS swiftlet.idempotency_keys (
    -- The tenant and the user.
    scope text NOT NULL,
    key text NOT NULL,
    -- SHA-256 of method, path, query and body.
    fingerprint text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    status integer NOT NULL,
    headers text NOT NULL,
    exposed_fields text,
    -- NULL for one that is too large to be kept.
    body bytea,
    PRIMARY KEY (scope, key)
);

-- For forgetting them.
CREATE INDEX IF NOT EXISTS idempotency_keys_created ON swiftlet.idempotency_keys (created_at);

ALTER TABLE swiftlet.idempotency_keys ENABLE ROW LEVEL SECURITY;
