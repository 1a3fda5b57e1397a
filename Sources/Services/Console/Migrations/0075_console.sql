-- Who may enter the console, and what they have done there. Only the server reads and writes these tables.

DO $$ BEGIN
    IF to_regnamespace('swiftlet') IS NULL THEN
        CREATE SCHEMA swiftlet;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS swiftlet.console_operators (
    name text PRIMARY KEY,
    role text NOT NULL CHECK (role IN ('viewer', 'editor', 'owner')),
    password_hash text NOT NULL,
    failed_attempts integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Links that enter once. Only the hash of what a link holds is kept.
CREATE TABLE IF NOT EXISTS swiftlet.console_entries (
    token_hash text PRIMARY KEY,
    role text NOT NULL CHECK (role IN ('viewer', 'editor', 'owner')),
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);

CREATE TABLE IF NOT EXISTS swiftlet.console_sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_hash text NOT NULL UNIQUE,
    -- An operator's name, or "link" for who has entered by one.
    operator text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'editor', 'owner')),
    address text,
    agent text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS swiftlet.console_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    operator text NOT NULL,
    address text,
    request_id text,
    action text NOT NULL,
    object text,
    before jsonb,
    after jsonb,
    statement text
);

CREATE INDEX IF NOT EXISTS console_audit_at ON swiftlet.console_audit (at);

CREATE OR REPLACE FUNCTION swiftlet.console_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit are neither changed nor deleted';
END
$$;

CREATE OR REPLACE TRIGGER console_audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON swiftlet.console_audit
    FOR EACH STATEMENT EXECUTE FUNCTION swiftlet.console_audit_stays();

ALTER TABLE swiftlet.console_operators ENABLE ROW LEVEL SECURITY;
ALTER TABLE swiftlet.console_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE swiftlet.console_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE swiftlet.console_audit ENABLE ROW LEVEL SECURITY;
