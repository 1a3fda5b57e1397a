-- A table of devices, as `swiftlet migrate new NAME --scope device` writes it: every row belongs to one device, which is
-- the only one to see and change it. Deleting sets deleted_at.

CREATE TABLE IF NOT EXISTS poop_logs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    device_id uuid NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    logged_at timestamptz NOT NULL,
    duration_seconds integer NOT NULL CHECK (duration_seconds BETWEEN 0 AND 86400),
    rating text NOT NULL CHECK (rating IN ('great', 'good', 'okay', 'bad', 'terrible')),
    consistency integer CHECK (consistency BETWEEN 1 AND 7),
    notes text CHECK (char_length(notes) <= 10000),
    flush_funds_earned integer NOT NULL DEFAULT 0 CHECK (flush_funds_earned >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);

CREATE INDEX IF NOT EXISTS poop_logs_device ON poop_logs (device_id);
CREATE INDEX IF NOT EXISTS poop_logs_device_logged ON poop_logs (device_id, logged_at DESC);

DROP TRIGGER IF EXISTS poop_logs_touch ON poop_logs;
CREATE TRIGGER poop_logs_touch BEFORE UPDATE ON poop_logs FOR EACH ROW EXECUTE FUNCTION swiftlet_touch();

ALTER TABLE poop_logs ENABLE ROW LEVEL SECURITY;
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'poop_logs'::regclass AND polname = 'swiftlet_device') THEN
        CREATE POLICY swiftlet_device ON poop_logs USING (device_id = (SELECT auth.uid()))
            WITH CHECK (device_id = (SELECT auth.uid()));
    END IF;
EXCEPTION
    -- The schema of the accounts is somebody else's.
    WHEN insufficient_privilege OR invalid_schema_name OR undefined_function THEN
        CREATE POLICY swiftlet_device ON poop_logs USING (device_id::text = (SELECT swiftlet_user_id()))
            WITH CHECK (device_id::text = (SELECT swiftlet_user_id()));
END $$;
SELECT swiftlet_grant('SELECT, INSERT, UPDATE, DELETE', 'poop_logs', 'authenticated');
SELECT swiftlet_grant('ALL', 'poop_logs', 'service_role');
