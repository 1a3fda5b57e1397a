-- Devices as anonymous accounts: the app chooses the id, and a secret that is shown once proves later that it is the same
-- device. The id is the account's, so that auth.uid() is the device in every policy.

CREATE TABLE IF NOT EXISTS devices (
    id uuid PRIMARY KEY
);
ALTER TABLE devices
    ADD COLUMN IF NOT EXISTS platform text,
    ADD COLUMN IF NOT EXISTS model text,
    ADD COLUMN IF NOT EXISTS app_version text,
    -- SHA-256 of the secret, which has 256 random bits.
    ADD COLUMN IF NOT EXISTS secret_hash text,
    ADD COLUMN IF NOT EXISTS created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamptz NOT NULL DEFAULT now();

-- A device ends with its account. Where the accounts belong to others, the key may be refused.
DO $$
BEGIN
    ALTER TABLE devices ADD CONSTRAINT devices_account FOREIGN KEY (id) REFERENCES auth.users (id) ON DELETE CASCADE;
EXCEPTION
    WHEN duplicate_object OR insufficient_privilege OR foreign_key_violation OR undefined_table THEN NULL;
END $$;

-- Each device sees itself, but not what its secret is compared with.
ALTER TABLE devices ENABLE ROW LEVEL SECURITY;
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'devices'::regclass AND polname = 'swiftlet_device') THEN
        CREATE POLICY swiftlet_device ON devices USING (id::text = (SELECT swiftlet_user_id()))
            WITH CHECK (id::text = (SELECT swiftlet_user_id()));
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticated') THEN
        GRANT SELECT (id, platform, model, app_version, created_at, updated_at), UPDATE (platform, model, app_version)
            ON devices TO authenticated;
    END IF;
END $$;
SELECT swiftlet_grant('ALL', 'devices', 'service_role');
