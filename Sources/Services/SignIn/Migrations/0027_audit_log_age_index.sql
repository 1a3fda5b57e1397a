-- Old entries are found by their age, so that they can be deleted. GoTrue has no index for that, and in tables that belong
-- to it nothing is made.

DO $migration$
BEGIN
    IF EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'audit_log_entries' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        CREATE INDEX IF NOT EXISTS audit_log_entries_created_at_idx ON auth.audit_log_entries (created_at);
    END IF;
END
$migration$;
