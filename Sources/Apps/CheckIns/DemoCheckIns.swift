/// In each tenant: three people with devices, who respond for each other, one of whom has checked in.
let demoCheckIns = """
    INSERT INTO push_tokens (token, user_id, platform, environment, app)
    SELECT 'demo-' || tenant.id || '-' || n, pg_temp.person(tenant.id, n), (ARRAY['ios', 'android'])[1 + n % 2],
        'sandbox', 'example.app'
    FROM (SELECT DISTINCT tenant_id AS id FROM pg_temp.people) AS tenant, generate_series(1, 3) AS n;

    INSERT INTO responders (user_id, responder_id, accepted_at)
    SELECT pg_temp.person(tenant.id, n), pg_temp.person(tenant.id, 1 + n % 3),
        CASE WHEN n < 3 THEN clock_timestamp() END
    FROM (SELECT DISTINCT tenant_id AS id FROM pg_temp.people) AS tenant, generate_series(1, 3) AS n;

    INSERT INTO check_ins (user_id, last_check_in, next_check_in, interval_seconds)
    SELECT pg_temp.person(tenant.id, 2), moment, moment + interval '1 day', 86400
    FROM (SELECT DISTINCT tenant_id AS id FROM pg_temp.people) AS tenant, date_trunc('second', clock_timestamp()) AS moment;
    """
