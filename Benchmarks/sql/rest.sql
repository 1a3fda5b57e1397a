-- Five comments on each of the twenty tasks that a tenant's list by id begins with.
INSERT INTO task_comments (tenant_id, task_id, user_id, comment)
SELECT t.tenant_id, t.id, '11111111-1111-4111-8111-111111111111', 'Visit ' || n || ': cleaned the drum, ordered parts.'
FROM (
    SELECT tenant_id, id FROM tasks WHERE tenant_id = '00000000-0000-4000-8000-000000000007' ORDER BY id LIMIT 20
) AS t, generate_series(1, 5) AS n;
ANALYZE task_comments;
