-- A grant of columns does not take back a grant of the table. Databases that grant every new table to everybody (ALTER
-- DEFAULT PRIVILEGES, as Supabase's do) showed whoever signs in the password hashes of colleagues.

DO $$
DECLARE
    role text;
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY['tenants', 'roles', 'teams', 'users'] LOOP
        CONTINUE WHEN swiftlet_is_adopted(target::regclass);
        FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('REVOKE ALL ON %I FROM %I', target, role);
            END IF;
        END LOOP;
        IF target <> 'users' THEN
            PERFORM swiftlet_grant('SELECT', target::regclass, 'authenticated');
        END IF;
    END LOOP;
END $$;

SELECT swiftlet_grant(
    'SELECT (id, tenant_id, email, first_name, last_name, profile_image_url, role_id, team_id, is_active, created_at)',
    'users', 'authenticated'
);
