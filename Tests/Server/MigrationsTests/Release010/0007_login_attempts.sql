-- Failed logins, counted per account and per network address, shared by all servers of the database. Ephemeral: rows go
-- when they are old, and all of them may be deleted at any time to let everybody in.
-- A table that another server made is widened; its own rows count by email, ours by subject.

CREATE TABLE IF NOT EXISTS login_attempts (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    email varchar
);
ALTER TABLE login_attempts
    -- 'account ada@acme.example' or 'address 203.0.113.7'.
    ADD COLUMN IF NOT EXISTS subject text,
    -- When, in the last fifteen minutes, oldest first.
    ADD COLUMN IF NOT EXISTS failures timestamp[] NOT NULL DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS attempt_count integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS last_attempt_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS locked_until timestamp,
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now(),
    ALTER COLUMN email DROP NOT NULL;

CREATE UNIQUE INDEX IF NOT EXISTS login_attempts_subject ON login_attempts (subject);
-- For sweeping.
CREATE INDEX IF NOT EXISTS login_attempts_updated ON login_attempts (updated_at);

-- No tenant: people who fail to sign in have none. No policy: only the owner reads it.
ALTER TABLE login_attempts ENABLE ROW LEVEL SECURITY;
SELECT swiftlet_grant('ALL', 'login_attempts', 'service_role');
