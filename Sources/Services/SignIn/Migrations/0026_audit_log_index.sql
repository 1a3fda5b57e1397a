-- What an account asks to have exported is found by its id. GoTrue has no index for that, and in tables that belong to it
-- nothing is made.

DO $migration$
BEGIN
    IF EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'audit_log_entries' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        CREATE INDEX IF NOT EXISTS audit_log_entries_actor_id_idx
            ON auth.audit_log_entries ((payload ->> 'actor_id'), created_at);
    END IF;
END
$migration$;
