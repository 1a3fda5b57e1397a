-- Tenants whose sizes follow Zipf's law: tenant r of :tenants has :largest / r ^ :exponent tasks. The rows lie in the order
-- in which real tables grow: by time, tenants mixed. Nobody's task is both cancelled and urgent.
SELECT setseed(0.42);

INSERT INTO tenants (id, name, slug)
SELECT '00000000-0000-4000-8000-' || lpad(r::text, 12, '0'), 'Tenant ' || r, 'tenant-' || r
FROM generate_series(1, :tenants) AS r;

-- Indexes are made anew behind the rows, which takes a fraction of the time.
CREATE TEMP TABLE kept AS
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
FROM pg_index i WHERE indrelid = 'tasks'::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid);
SELECT format('DROP INDEX %s', name) FROM kept \gexec

INSERT INTO tasks (
    id, tenant_id, title, description, status, priority, assigned_to, due_date, estimated_hours, tags, created_by,
    created_at, updated_at
)
SELECT
    md5(r || '/' || n)::uuid,
    '00000000-0000-4000-8000-' || lpad(r::text, 12, '0'),
    (ARRAY['Replace toner', 'Call back about the lease', 'Zähler ablesen', 'Prepare renewal offer', 'Fix paper jam',
           'Check invoice'])[1 + n % 6] || ' #' || lpad(n::text, 6, '0'),
    CASE WHEN n % 5 > 0 THEN 'See the notes of the last call. ' || repeat('Details follow. ', n % 8) END,
    (ARRAY['todo', 'in_progress', 'review', 'completed', 'cancelled'])[1 + n % 5],
    (ARRAY['low', 'medium', 'high', 'urgent', 'medium'])[1 + n % 5],
    md5('user' || r || n % 20)::uuid,
    timestamp '2026-01-05 09:00:00' + (n % 700) * interval '1 day',
    1 + n % 40,
    ARRAY['service'],
    md5('user' || r || n % 20)::uuid,
    at, at
FROM generate_series(1, :tenants) AS r
CROSS JOIN LATERAL generate_series(1, greatest(1, floor(:largest / r ^ :exponent)::int)) AS n
CROSS JOIN LATERAL (
    SELECT timestamp '2024-01-01' + ('x' || left(md5(n || '-' || r), 7))::bit(28)::int / 4 * interval '1 second'
) AS moment (at)
ORDER BY at;

SET maintenance_work_mem = '512MB';
SELECT definition FROM kept \gexec
VACUUM (ANALYZE) tenants;
VACUUM (ANALYZE) tasks;
CHECKPOINT;
