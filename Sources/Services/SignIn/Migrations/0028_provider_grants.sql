-- What providers have granted an account, kept to be revoked when the account is deleted. The key to auth.users is none of
-- the database's, as that table may belong to others: the row of an account that is gone is what is to be revoked.

DO $$ BEGIN
    IF to_regnamespace('swiftlet') IS NULL THEN
        CREATE SCHEMA swiftlet;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS swiftlet.provider_grants (
    user_id uuid NOT NULL,
    provider text NOT NULL,
    refresh_token text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    -- Of the next attempt to revoke it.
    due timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, provider)
);

-- No tenant: accounts have none. No policy and no grant: only the owner reads it.
ALTER TABLE swiftlet.provider_grants ENABLE ROW LEVEL SECURITY;
