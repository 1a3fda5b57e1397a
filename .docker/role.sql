-- What a superuser does once in a new database, so that the server can connect as a role that is none: psql's variables
-- are "role", "password" and "database". The role owns the database and everything that its migrations make.

CREATE ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
ALTER DATABASE :"database" OWNER TO :"role";
ALTER SCHEMA public OWNER TO :"role";
-- A schema that is named like the role would come first: the server's own is named swiftlet.
ALTER ROLE :"role" IN DATABASE :"database" SET search_path = public;

-- The roles of requests, which the first migration would make if it were allowed to.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', name);
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role' AND NOT rolbypassrls) THEN
        ALTER ROLE service_role BYPASSRLS;
    END IF;
END $$;
GRANT anon, authenticated, service_role TO :"role";

-- Tells servers of every change of the schema, as 0011_schema_change_events does for superusers, and nobody else can.
CREATE FUNCTION swiftlet_ddl_watch() RETURNS event_trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NOTIFY pgrst, 'reload schema';
END $$;
REVOKE ALL ON FUNCTION swiftlet_ddl_watch() FROM PUBLIC;
CREATE EVENT TRIGGER swiftlet_ddl_watch ON ddl_command_end
    WHEN TAG IN (
        'CREATE SCHEMA', 'ALTER SCHEMA', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW',
        'ALTER MATERIALIZED VIEW', 'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE',
        'COMMENT'
    )
    EXECUTE FUNCTION swiftlet_ddl_watch();
CREATE EVENT TRIGGER swiftlet_drop_watch ON sql_drop EXECUTE FUNCTION swiftlet_ddl_watch();
