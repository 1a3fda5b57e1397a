-- Whoever shows the code of a change of phone number is found by the new one. GoTrue has no index for that, and in tables
-- that belong to it nothing is made. Columns are there since 0005; a GoTrue of before 2021 may lack them.

DO $migration$
BEGIN
    IF EXISTS (
        SELECT FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'phone_change'
        WHERE c.relname = 'users' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND pg_get_userbyid(c.relowner) = current_user
    ) THEN
        CREATE INDEX IF NOT EXISTS users_phone_change_idx ON auth.users (phone_change) WHERE phone_change <> '';
    END IF;
END
$migration$;
