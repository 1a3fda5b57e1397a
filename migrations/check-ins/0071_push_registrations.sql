-- A registration for push messages ends with the session in which it was made, and what belongs to a person with the
-- account. Sessions and accounts of other issuers are not in this database: what they have made stays until it is removed.

ALTER TABLE push_tokens ADD COLUMN IF NOT EXISTS session_id text;
CREATE INDEX IF NOT EXISTS push_tokens_session ON push_tokens (session_id) WHERE session_id IS NOT NULL;

-- Apple's tokens have one spelling; of several registrations of one device, the newest stays.
DELETE FROM push_tokens WHERE token IN (
    SELECT token FROM (
        SELECT token, row_number() OVER (
            PARTITION BY lower(regexp_replace(token, '[[:space:]<>]', '', 'g')) ORDER BY registered_at DESC, token
        ) AS place
        FROM push_tokens WHERE platform = 'ios' AND token ~* '^[0-9a-f[:space:]<>]+$'
    ) AS spelled
    WHERE place > 1
);
UPDATE push_tokens SET token = lower(regexp_replace(token, '[[:space:]<>]', '', 'g'))
WHERE platform = 'ios' AND token ~* '^[0-9a-f[:space:]<>]+$'
    AND token <> lower(regexp_replace(token, '[[:space:]<>]', '', 'g'));

-- Called as the owner of the tables: who deletes a session has no rights here. A table that was dropped is no reason to
-- keep the session.
CREATE OR REPLACE FUNCTION swiftlet_end_registrations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    DELETE FROM public.push_tokens WHERE session_id IN (SELECT id::text FROM gone);
    RETURN NULL;
EXCEPTION WHEN undefined_table OR undefined_column THEN
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION swiftlet_forget_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
DECLARE
    person text := OLD.id::text;
BEGIN
    DELETE FROM public.push_tokens WHERE user_id = person;
    DELETE FROM public.push_messages WHERE user_id = person OR recipient_id = person;
    DELETE FROM public.check_ins WHERE user_id = person;
    DELETE FROM public.alerts WHERE user_id = person;
    DELETE FROM public.responders WHERE user_id = person OR responder_id = person;
    RETURN NULL;
EXCEPTION WHEN undefined_table OR undefined_column THEN
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION swiftlet_end_registrations(), swiftlet_forget_person() FROM PUBLIC;

DO $$ BEGIN
    IF to_regclass('auth.sessions') IS NOT NULL THEN
        DROP TRIGGER IF EXISTS swiftlet_end_registrations ON auth.sessions;
        CREATE TRIGGER swiftlet_end_registrations AFTER DELETE ON auth.sessions
            REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION swiftlet_end_registrations();
    END IF;
    IF to_regclass('auth.users') IS NOT NULL THEN
        DROP TRIGGER IF EXISTS swiftlet_forget_person ON auth.users;
        CREATE TRIGGER swiftlet_forget_person AFTER DELETE ON auth.users
            FOR EACH ROW EXECUTE FUNCTION swiftlet_forget_person();
        DROP TRIGGER IF EXISTS swiftlet_forget_deleted_person ON auth.users;
        IF EXISTS (
            SELECT FROM pg_attribute
            WHERE attrelid = to_regclass('auth.users') AND attname = 'deleted_at' AND NOT attisdropped
        ) THEN
            CREATE TRIGGER swiftlet_forget_deleted_person AFTER UPDATE OF deleted_at ON auth.users
                FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
                EXECUTE FUNCTION swiftlet_forget_person();
        END IF;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'no triggers on auth.sessions and auth.users: registrations outlive them';
END $$;
