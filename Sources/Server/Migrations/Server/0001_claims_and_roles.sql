-- Who is asking, as PostgREST and Supabase tell it: the verified token's claims in the setting request.jwt.claims.
-- Row policies read it; Swiftlet itself filters by tenant in every statement and needs no policy.

CREATE OR REPLACE FUNCTION swiftlet_claims() RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;

CREATE OR REPLACE FUNCTION swiftlet_tenant_id() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT coalesce(
        swiftlet_claims() #>> '{app_metadata,tenant_id}',
        swiftlet_claims() #>> '{app_metadata,tenantId}'
    )
$$;

CREATE OR REPLACE FUNCTION swiftlet_user_id() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT swiftlet_claims() ->> 'sub' $$;

-- The three roles of such servers. They belong to the whole cluster, so they may exist already, or another database's
-- migration may be making them at this moment; without CREATEROLE all else works, only direct access does not.
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['anon', 'authenticated', 'service_role'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = role);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', role);
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE NOTICE 'role % is missing and % may not create it', role, current_user;
        END;
    END LOOP;
    BEGIN
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_role' AND NOT rolbypassrls) THEN
            ALTER ROLE service_role BYPASSRLS;
        END IF;
    EXCEPTION
        WHEN insufficient_privilege THEN
            RAISE NOTICE 'service_role stays subject to row policies: % may not change that', current_user;
    END;
END $$;

-- What every table of a tenant gets. The owner (whom Swiftlet connects as) is not bound by policies: they are the second
-- wall, for all others. A policy that stands already is left as it is.
CREATE OR REPLACE FUNCTION swiftlet_protect(target regclass, rule text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = target AND polname = 'swiftlet_tenant') THEN
        EXECUTE format('CREATE POLICY swiftlet_tenant ON %s USING (%s) WITH CHECK (%s)', target, rule, rule);
    END IF;
END $$;

-- Grants, to those of the roles that exist.
CREATE OR REPLACE FUNCTION swiftlet_grant(privileges text, target regclass, VARIADIC roles text[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY roles LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('GRANT %s ON %s TO %I', privileges, target, role);
        END IF;
    END LOOP;
END $$;

-- These two carry the rights of whoever calls them; nobody but the owner has a use for them.
REVOKE ALL ON FUNCTION swiftlet_protect(regclass, text), swiftlet_grant(text, regclass, text[]) FROM PUBLIC;
