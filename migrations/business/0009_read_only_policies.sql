-- Tenants, roles, teams and users are read by those who show a token, and changed by Swiftlet and administrators alone.
-- Our grants say so; where a database gives every new table to everybody (ALTER DEFAULT PRIVILEGES, as Supabase's has),
-- the policies must say it, too: else whoever signs in could raise the level of a role, or become a platform user.

DO $$
DECLARE
    target regclass;
    rule text;
    role text;
BEGIN
    FOR target, rule IN
        SELECT polrelid, pg_get_expr(polqual, polrelid) FROM pg_policy
        WHERE polname = 'swiftlet_tenant' AND polcmd = '*'
            AND polrelid IN ('tenants'::regclass, 'roles'::regclass, 'teams'::regclass, 'users'::regclass)
    LOOP
        EXECUTE format('DROP POLICY swiftlet_tenant ON %s', target);
        EXECUTE format('CREATE POLICY swiftlet_tenant ON %s FOR SELECT USING (%s)', target, rule);
    END LOOP;
    -- Which files were applied is nobody's business but the migrator's. Files that psql applied have no such table.
    IF to_regclass('swiftlet_migrations') IS NULL THEN
        RETURN;
    END IF;
    FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('REVOKE ALL ON swiftlet_migrations FROM %I', role);
        END IF;
    END LOOP;
END $$;
