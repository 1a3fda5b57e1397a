-- Tells servers of every change of tables, views and functions, so that /rest/v1 knows them at once. The names are those
-- that Supabase's databases use; where they exist already nothing is made. Only a superuser may make event triggers:
-- without it the catalogue is read after each `swiftlet migrate`, after a reconnect, and when something is not found.

DO $migration$
BEGIN
    IF EXISTS (SELECT FROM pg_event_trigger WHERE evtname IN ('pgrst_ddl_watch', 'swiftlet_ddl_watch')) THEN
        RETURN;
    END IF;
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE NOTICE 'no event trigger for schema changes: % is no superuser', current_user;
        RETURN;
    END IF;

    CREATE OR REPLACE FUNCTION swiftlet_ddl_watch() RETURNS event_trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        -- One notice for a transaction: PostgreSQL drops those that say the same.
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
END $migration$;
