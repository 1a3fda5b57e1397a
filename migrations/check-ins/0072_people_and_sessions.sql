-- What belongs to a person goes with the account, and a registration with its session, without a trigger on tables of the
-- schema auth: where others have made it, nothing is changed there. The accounts and sessions that are known here refer to
-- those of auth instead, and go with them. Those of other issuers are not in this database: what they have made stays
-- until it is removed.

CREATE TABLE IF NOT EXISTS swiftlet.known_people (id uuid PRIMARY KEY);
CREATE TABLE IF NOT EXISTS swiftlet.known_sessions (id uuid PRIMARY KEY);
REVOKE ALL ON swiftlet.known_people, swiftlet.known_sessions FROM PUBLIC;

-- Notes the account behind an id, if there is one. Called as the owner of the tables: who checks in has no rights here.
CREATE OR REPLACE FUNCTION swiftlet.know_person(person text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
DECLARE
    account uuid;
BEGIN
    IF person !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN RETURN; END IF;
    account := person::uuid;
    IF EXISTS (SELECT FROM swiftlet.known_people WHERE id = account) THEN RETURN; END IF;
    INSERT INTO swiftlet.known_people SELECT id FROM auth.users WHERE id = account ON CONFLICT DO NOTHING;
-- The account has gone meanwhile, or there are no accounts in this database.
EXCEPTION WHEN foreign_key_violation OR undefined_table OR invalid_schema_name OR undefined_column THEN
    RETURN;
END $$;

CREATE OR REPLACE FUNCTION swiftlet.know_session(session text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
DECLARE
    found uuid;
BEGIN
    IF session !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN RETURN; END IF;
    found := session::uuid;
    IF EXISTS (SELECT FROM swiftlet.known_sessions WHERE id = found) THEN RETURN; END IF;
    INSERT INTO swiftlet.known_sessions SELECT id FROM auth.sessions WHERE id = found ON CONFLICT DO NOTHING;
EXCEPTION WHEN foreign_key_violation OR undefined_table OR invalid_schema_name OR undefined_column THEN
    RETURN;
END $$;

CREATE OR REPLACE FUNCTION swiftlet.know_people_of_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    PERFORM swiftlet.know_person(NEW.user_id);
    IF TG_TABLE_NAME = 'push_messages' THEN PERFORM swiftlet.know_person(NEW.recipient_id); END IF;
    IF TG_TABLE_NAME = 'responders' THEN PERFORM swiftlet.know_person(NEW.responder_id); END IF;
    IF TG_TABLE_NAME = 'push_tokens' THEN PERFORM swiftlet.know_session(NEW.session_id); END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION swiftlet_end_registrations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    DELETE FROM public.push_tokens WHERE session_id = OLD.id::text;
    RETURN NULL;
EXCEPTION WHEN undefined_table OR undefined_column THEN
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION
    swiftlet.know_person(text), swiftlet.know_session(text), swiftlet.know_people_of_row(),
    swiftlet_end_registrations(), swiftlet_forget_person()
FROM PUBLIC;

DROP TRIGGER IF EXISTS swiftlet_know_people ON push_tokens;
CREATE TRIGGER swiftlet_know_people AFTER INSERT OR UPDATE OF user_id, session_id ON push_tokens
    FOR EACH ROW EXECUTE FUNCTION swiftlet.know_people_of_row();
DROP TRIGGER IF EXISTS swiftlet_know_people ON push_messages;
CREATE TRIGGER swiftlet_know_people AFTER INSERT ON push_messages
    FOR EACH ROW EXECUTE FUNCTION swiftlet.know_people_of_row();
DROP TRIGGER IF EXISTS swiftlet_know_people ON check_ins;
CREATE TRIGGER swiftlet_know_people AFTER INSERT ON check_ins
    FOR EACH ROW EXECUTE FUNCTION swiftlet.know_people_of_row();
DROP TRIGGER IF EXISTS swiftlet_know_people ON alerts;
CREATE TRIGGER swiftlet_know_people AFTER INSERT ON alerts
    FOR EACH ROW EXECUTE FUNCTION swiftlet.know_people_of_row();
DROP TRIGGER IF EXISTS swiftlet_know_people ON responders;
CREATE TRIGGER swiftlet_know_people AFTER INSERT ON responders
    FOR EACH ROW EXECUTE FUNCTION swiftlet.know_people_of_row();

DROP TRIGGER IF EXISTS swiftlet_forget_person ON swiftlet.known_people;
CREATE TRIGGER swiftlet_forget_person AFTER DELETE ON swiftlet.known_people
    FOR EACH ROW EXECUTE FUNCTION swiftlet_forget_person();
DROP TRIGGER IF EXISTS swiftlet_end_registrations ON swiftlet.known_sessions;
CREATE TRIGGER swiftlet_end_registrations AFTER DELETE ON swiftlet.known_sessions
    FOR EACH ROW EXECUTE FUNCTION swiftlet_end_registrations();

DO $$ BEGIN
    IF to_regclass('auth.users') IS NOT NULL AND to_regclass('auth.sessions') IS NOT NULL THEN
        DROP TRIGGER IF EXISTS swiftlet_forget_person ON auth.users;
        DROP TRIGGER IF EXISTS swiftlet_end_registrations ON auth.sessions;
        -- Only a table of ours tells of accounts that are marked as deleted and stay.
        IF (SELECT pg_get_userbyid(relowner) <> current_user FROM pg_class WHERE oid = 'auth.users'::regclass) THEN
            DROP TRIGGER IF EXISTS swiftlet_forget_deleted_person ON auth.users;
        END IF;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    -- Then there are none.
    NULL;
END $$;

DO $$ BEGIN
    IF to_regclass('auth.users') IS NOT NULL AND to_regclass('auth.sessions') IS NOT NULL THEN
        ALTER TABLE swiftlet.known_people
            ADD CONSTRAINT known_people_account FOREIGN KEY (id) REFERENCES auth.users (id) ON DELETE CASCADE;
        ALTER TABLE swiftlet.known_sessions
            ADD CONSTRAINT known_sessions_session FOREIGN KEY (id) REFERENCES auth.sessions (id) ON DELETE CASCADE;
    END IF;
EXCEPTION WHEN insufficient_privilege OR undefined_column OR invalid_foreign_key OR datatype_mismatch THEN
    RAISE NOTICE 'nothing here can refer to auth.users and auth.sessions: what belongs to accounts outlives them';
END $$;

-- Those of the rows that are there.
SELECT swiftlet.know_person(id) FROM (
    SELECT user_id AS id FROM push_tokens UNION SELECT user_id FROM push_messages UNION SELECT recipient_id FROM push_messages
    UNION SELECT user_id FROM check_ins UNION SELECT user_id FROM alerts UNION SELECT user_id FROM responders
    UNION SELECT responder_id FROM responders
) AS people;
SELECT swiftlet.know_session(session_id) FROM push_tokens WHERE session_id IS NOT NULL;
