-- Operators find accounts by the beginning of an address, or by any part of it where the database has pg_trgm. The
-- extension itself is the app's: where it lies, and so what else the app's statements find, is not ours to say. Whoever
-- makes it later calls the function again. In tables that belong to GoTrue nothing is made.

CREATE OR REPLACE FUNCTION swiftlet.index_accounts() RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
    parts name := (
        SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
        WHERE extname = 'pg_trgm'
    );
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
            AND relkind = 'r' AND pg_get_userbyid(relowner) = current_user
    ) THEN
        RETURN;
    END IF;
    CREATE INDEX IF NOT EXISTS users_email_start_idx ON auth.users (lower(email) text_pattern_ops);
    IF parts IS NOT NULL THEN
        -- Accounts come one by one: a list of what is still to be sorted in would only slow the search.
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS users_email_parts_idx ON auth.users USING gin (lower(email) %I.gin_trgm_ops) '
                'WITH (fastupdate = off)',
            parts
        );
        IF EXISTS (
            SELECT FROM pg_attribute
            WHERE attrelid = 'auth.users'::regclass AND attname = 'phone' AND NOT attisdropped
        ) THEN
            EXECUTE format(
                'CREATE INDEX IF NOT EXISTS users_phone_parts_idx ON auth.users USING gin ((phone::text) %I.gin_trgm_ops) '
                    'WITH (fastupdate = off)',
                parts
            );
        END IF;
    END IF;
END
$function$;

REVOKE EXECUTE ON FUNCTION swiftlet.index_accounts() FROM PUBLIC;

SELECT swiftlet.index_accounts();
