-- The longest that one statement of a caller may take, as Supabase's databases have it, in the whole cluster. `/rest/v1` sets it for each
-- request as the role has it: whoever wants another, sets it by ALTER ROLE. One that is set already stays.

DO $$
DECLARE
    role text;
    timeout text;
BEGIN
    FOR role, timeout IN VALUES ('anon', '3s'), ('authenticated', '8s') LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role);
        CONTINUE WHEN EXISTS (
            SELECT FROM pg_db_role_setting AS d JOIN pg_roles AS r ON r.oid = d.setrole
                CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
            WHERE r.rolname = role AND s.setting LIKE 'statement_timeout=%'
                AND d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        );
        BEGIN
            EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', role, timeout);
        EXCEPTION
            WHEN insufficient_privilege THEN
                RAISE WARNING 'statements of % have no limit of their own: % may not set one', role, current_user;
            -- Another database of the cluster does the same at this moment.
            WHEN internal_error OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$;
