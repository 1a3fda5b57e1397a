/// A device with three weeks of logs. Its account has no secret, so nobody can get a session for it; the logs are there
/// to be looked at, and the tables to be tried with a device of one's own: `POST /devices`.
let demoDevices = """
    DO $demo$
    DECLARE
        device uuid := 'd0000000-0000-4000-8000-000000000001';
    BEGIN
        -- The accounts are somebody else's.
        IF NOT has_table_privilege('auth.users', 'INSERT') THEN
            RETURN;
        END IF;
        INSERT INTO auth.users (id, aud, role, raw_app_meta_data, raw_user_meta_data, is_anonymous, created_at, updated_at)
        VALUES (device, 'authenticated', 'authenticated', jsonb_build_object('device_id', device), '{}', true, now(), now())
        ON CONFLICT DO NOTHING;
        INSERT INTO devices (id, platform, model, app_version) VALUES (device, 'ios', 'iPhone 16', '2.1')
        ON CONFLICT DO NOTHING;
        INSERT INTO poop_logs (device_id, logged_at, duration_seconds, rating, consistency, notes, flush_funds_earned)
        SELECT device, date_trunc('hour', now()) - day * interval '1 day', 120 + day * 37 % 400,
            (ARRAY['great', 'good', 'good', 'okay', 'bad', 'terrible'])[1 + day * 5 % 6], 1 + day * 3 % 7,
            CASE WHEN day % 6 = 0 THEN 'After the long flight ✈️' END, day % 4
        FROM generate_series(0, 20) AS day WHERE day <> 9;
    END $demo$;
    """
