-- Sessions and accounts that ended while their access tokens live on: every server refuses these tokens. Ephemeral: a row
-- goes when the last of its tokens has expired.

DO $$ BEGIN
    IF to_regnamespace('swiftlet') IS NULL THEN
        CREATE SCHEMA swiftlet;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS swiftlet.ended_tokens (
    -- Of a row that was in auth.sessions, or of one in auth.users that was banned or deleted.
    owner_id uuid PRIMARY KEY,
    ended_at timestamptz NOT NULL DEFAULT now(),
    kept_until timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS ended_tokens_ended ON swiftlet.ended_tokens (ended_at);
CREATE INDEX IF NOT EXISTS ended_tokens_kept ON swiftlet.ended_tokens (kept_until);

-- No tenant: accounts have none. No policy and no grant: only the owner reads it.
ALTER TABLE swiftlet.ended_tokens ENABLE ROW LEVEL SECURITY;
