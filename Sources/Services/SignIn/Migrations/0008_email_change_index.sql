-- Whoever shows the code of a change of address is found by the new one. GoTrue has no index for that, and in tables that
-- belong to it nothing is made.

DO $migration$
BEGIN
    IF EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(relowner) = current_user
    ) THEN
        CREATE INDEX IF NOT EXISTS users_email_change_idx ON auth.users (email_change) WHERE email_change <> '';
    END IF;
END
$migration$;
