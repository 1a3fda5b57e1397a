/// The tenants, roles, teams and users of the people that the server makes up.
let demoPeople = """
    INSERT INTO tenants (id, name, slug, plan)
    SELECT DISTINCT tenant_id, tenant_name, tenant_id, plan FROM pg_temp.people;

    INSERT INTO roles (id, name, code, department, level, description)
    SELECT 'role-' || level, name, upper(replace(name, ' ', '_')), 'service', level, 'Demo role'
    FROM unnest(ARRAY['Individual', 'Team lead', 'Supervisor', 'Manager', 'Director', 'Regional manager',
                      'Company admin', 'Platform admin']) WITH ORDINALITY AS list (name, level)
    ON CONFLICT DO NOTHING;

    INSERT INTO teams (id, tenant_id, name, department)
    SELECT tenant.id || '-team-' || number, tenant.id, list.name, lower(list.name)
    FROM tenants AS tenant, unnest(ARRAY['Service', 'Sales']) WITH ORDINALITY AS list (name, number);

    INSERT INTO users (id, tenant_id, email, first_name, last_name, role_id, team_id)
    SELECT id, tenant_id, email, first_name, last_name, role_id, team_id FROM pg_temp.people;
    """
