-- Failed logins, counted per account and per network address, shared by all servers of the database. Ephemeral: rows go
-- when they are old, and all of them may be deleted at any time to let everybody in.

DO $$ BEGIN
    IF to_regnamespace('swiftlet') IS NULL THEN
        CREATE SCHEMA swiftlet;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS swiftlet.login_attempts (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    email varchar,
    -- 'account ada@acme.example' or 'address 203.0.113.7'.
    subject text,
    -- When, in the last fifteen minutes, oldest first.
    failures timestamp[] NOT NULL DEFAULT '{}',
    attempt_count integer DEFAULT 0,
    last_attempt_at timestamp DEFAULT now(),
    locked_until timestamp,
    updated_at timestamp DEFAULT now()
);

CREATE UNIQUE INDEX IF NOT EXISTS login_attempts_subject ON swiftlet.login_attempts (subject);
-- For sweeping.
CREATE INDEX IF NOT EXISTS login_attempts_updated ON swiftlet.login_attempts (updated_at);

-- No tenant: people who fail to sign in have none. No policy and no grant: only the owner reads it.
ALTER TABLE swiftlet.login_attempts ENABLE ROW LEVEL SECURITY;
