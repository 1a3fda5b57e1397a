-- Tenants, and who works for them. Ids are varchar throughout, as the apps know them; timestamps are UTC without zone.
-- Every table is made with its essence, then gains column by column: a table that was made elsewhere keeps what it has.

CREATE TABLE IF NOT EXISTS tenants (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    name varchar NOT NULL,
    slug varchar NOT NULL UNIQUE,
    domain varchar UNIQUE,
    subdomain_prefix varchar UNIQUE,
    path_prefix varchar UNIQUE
);
ALTER TABLE tenants
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS plan varchar(20) DEFAULT 'basic',
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

-- Roles are the same for all tenants. level: 1 individual … 7 company admin, 8 platform admin.
CREATE TABLE IF NOT EXISTS roles (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    name varchar(50) NOT NULL,
    code varchar(30) NOT NULL UNIQUE,
    -- Elsewhere an enum; its words differ between installations, so ours takes any.
    role_type varchar(50) NOT NULL DEFAULT 'department_role',
    department varchar(30) NOT NULL
);
ALTER TABLE roles
    ADD COLUMN IF NOT EXISTS level integer NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS description varchar(255),
    ADD COLUMN IF NOT EXISTS permissions jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS is_system_role boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS teams (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    name varchar(100) NOT NULL,
    department varchar(30) NOT NULL
);
ALTER TABLE teams
    ADD COLUMN IF NOT EXISTS location_id varchar,
    ADD COLUMN IF NOT EXISTS manager_id varchar,
    ADD COLUMN IF NOT EXISTS parent_team_id varchar,
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS users (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar,
    email varchar UNIQUE
);
ALTER TABLE users
    ADD COLUMN IF NOT EXISTS first_name varchar,
    ADD COLUMN IF NOT EXISTS last_name varchar,
    ADD COLUMN IF NOT EXISTS profile_image_url varchar,
    ADD COLUMN IF NOT EXISTS password_hash varchar,
    ADD COLUMN IF NOT EXISTS role_id varchar,
    ADD COLUMN IF NOT EXISTS team_id varchar,
    ADD COLUMN IF NOT EXISTS manager_id varchar,
    ADD COLUMN IF NOT EXISTS employee_id varchar,
    ADD COLUMN IF NOT EXISTS primary_location_id varchar,
    ADD COLUMN IF NOT EXISTS region_id varchar,
    ADD COLUMN IF NOT EXISTS access_scope varchar(20) DEFAULT 'location',
    ADD COLUMN IF NOT EXISTS is_platform_user boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS last_login_at timestamp,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE INDEX IF NOT EXISTS teams_tenant_created ON teams (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS users_tenant_created ON users (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS users_tenant_team ON users (tenant_id, team_id);
-- Logging in ignores the case of the address.
CREATE INDEX IF NOT EXISTS users_email_lower ON users (lower(email));

SELECT swiftlet_protect('tenants', 'id::text = (SELECT swiftlet_tenant_id())');
SELECT swiftlet_protect('teams', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
SELECT swiftlet_protect('users', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
-- Roles belong to nobody: all may read them, and only service_role is granted more.
SELECT swiftlet_protect('roles', 'true');

SELECT swiftlet_grant('SELECT', 'tenants', 'authenticated');
SELECT swiftlet_grant('SELECT', 'roles', 'authenticated');
SELECT swiftlet_grant('SELECT', 'teams', 'authenticated');
-- Not password_hash.
SELECT swiftlet_grant(
    'SELECT (id, tenant_id, email, first_name, last_name, profile_image_url, role_id, team_id, is_active, created_at)',
    'users', 'authenticated'
);
SELECT swiftlet_grant('ALL', 'tenants', 'service_role');
SELECT swiftlet_grant('ALL', 'roles', 'service_role');
SELECT swiftlet_grant('ALL', 'teams', 'service_role');
SELECT swiftlet_grant('ALL', 'users', 'service_role');
