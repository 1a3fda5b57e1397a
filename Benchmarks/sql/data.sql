-- 100 tenants with 1 000 tasks each, in the order in which real tables grow: by time, tenants mixed.
-- Every column kind is used; the numbers come from a fixed seed, so that two runs read the same rows.
SELECT setseed(0.42);

INSERT INTO tenants (id, name, slug)
SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0')), 'Tenant ' || n, 'tenant-' || n
FROM generate_series(1, 101) AS n;

INSERT INTO tasks (
    id, tenant_id, title, description, status, priority, assigned_to, customer_id, due_date, start_date,
    estimated_hours, actual_hours, completion_percentage, tags, created_by, completed_at, created_at, updated_at,
    watchers, time_tracked, comment_count, attachment_count
)
SELECT
    md5('task' || n)::uuid,
    '00000000-0000-4000-8000-' || lpad((1 + n % 100)::text, 12, '0'),
    (ARRAY['Replace toner', 'Call back about the "A3" lease', 'Zähler ablesen – Gerät', 'Prepare renewal offer',
           'Fix paper jam', 'Check invoice'])[1 + n % 6] || ' #' || n,
    CASE WHEN n % 5 > 0 THEN
        (ARRAY['Customer asked for a visit this week.', 'See the notes of the last call.',
               E'Steps:\n1. open the cover\n2. clean the rollers'])[1 + n % 3] || ' ' || repeat('Details follow. ', n % 8)
    END,
    (ARRAY['todo', 'in_progress', 'review', 'completed', 'cancelled', 'todo', 'todo'])[1 + n % 7],
    (ARRAY['low', 'medium', 'high', 'urgent', 'medium'])[1 + n % 5],
    CASE WHEN n % 4 > 0 THEN md5('user' || n % 500)::uuid END,
    CASE WHEN n % 3 = 0 THEN md5('customer' || n % 5000)::uuid END,
    CASE WHEN n % 4 > 0 THEN timestamp '2026-01-05 09:00:00' + (n % 700) * interval '1 day' END,
    CASE WHEN n % 6 = 0 THEN timestamp '2026-01-01 08:30:00' + (n % 650) * interval '1 day' END,
    CASE WHEN n % 3 > 0 THEN 1 + n % 40 END,
    CASE WHEN n % 7 = 3 THEN 1 + n % 60 END,
    CASE WHEN n % 7 = 3 THEN 100 ELSE (n % 10) * 10 END,
    CASE n % 4 WHEN 0 THEN '{}'::text[] WHEN 1 THEN ARRAY['service'] WHEN 2 THEN ARRAY['on site', 'toner'] END,
    md5('user' || n % 500)::uuid,
    CASE WHEN n % 7 = 3 THEN timestamp '2026-03-01 12:00:00.5' + n * interval '61 seconds' END,
    timestamp '2025-09-01 07:15:30.123456' + n * interval '60.7 seconds',
    timestamp '2025-09-01 07:15:30.123456' + n * interval '61.3 seconds',
    CASE WHEN n % 9 = 0 THEN jsonb_build_array(md5('user' || n % 500)::uuid) ELSE '[]' END,
    n % 90, n % 12, n % 3
FROM generate_series(1, 100000) AS n;

VACUUM (ANALYZE) tenants;
VACUUM (ANALYZE) tasks;
CHECKPOINT;
