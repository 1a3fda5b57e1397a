// A few hundred tasks for each tenant, with comments, time entries and notifications.

/// Covers every kind of column and timestamp: with and without fractions, and in custom_fields naive, zoned and
/// fractional ones as clients write them.
let demoTasks = """
    INSERT INTO tasks (
        id, tenant_id, title, description, status, priority, assigned_to, created_by, project_id, customer_id,
        parent_task_id, start_date, due_date, completed_at, estimated_hours, actual_hours, completion_percentage,
        time_tracked, attachment_count, tags, dependencies, watchers, custom_fields, created_at, updated_at
    )
    SELECT
        tenant.id || '-task-' || n, tenant.id,
        (ARRAY['Replace toner', 'Fix paper jam', 'Call back about the "A3" lease', 'Zähler ablesen',
            'Prepare renewal',
               'Check invoice', 'Install driver', 'Train new staff'])[1 + n % 8] || ' #' || n,
        CASE WHEN n % 3 > 0 THEN 'Floor ' || n % 9 || E'.\\nAsk at the desk – 100 % confidential \\\\ "quoted".' END,
        state.status,
        (ARRAY['medium', 'low', 'high', 'medium', 'urgent'])[1 + n % 5],
        CASE WHEN n % 6 > 0 THEN pg_temp.person(tenant.id, 1 + n % 8) END,
        pg_temp.person(tenant.id, 1 + n % 3),
        CASE WHEN n % 7 = 0 THEN tenant.id || '-project-' || n % 4 END,
        CASE WHEN n % 4 = 0 THEN tenant.id || '-customer-' || n % 40 END,
        CASE WHEN n % 25 = 0 THEN tenant.id || '-task-' || n - 1 END,
        CASE WHEN n % 5 = 0 THEN date_trunc('day', moment.created) + interval '8 hours' END,
        CASE WHEN n % 9 > 0 THEN date_trunc('hour', now() AT TIME ZONE 'UTC') + (n % 60 - 25) * interval '1 day' END,
        CASE WHEN state.status = 'completed' THEN moment.created + interval '26 hours 0.000001 seconds' END,
        CASE WHEN n % 3 > 0 THEN 1 + n % 16 END,
        CASE WHEN state.status = 'completed' THEN 1 + n % 20 END,
        CASE state.status WHEN 'completed' THEN 100 WHEN 'todo' THEN 0 ELSE n % 10 * 10 END,
        0, n % 3,
        CASE n % 4 WHEN 0 THEN '{}' WHEN 1 THEN ARRAY['service'] WHEN 2 THEN ARRAY['on site', 'toner, black'] END,
        CASE WHEN n % 25 = 0 THEN jsonb_build_array(tenant.id || '-task-' || n - 1) ELSE '[]' END,
        CASE WHEN n % 9 = 0 THEN jsonb_build_array(pg_temp.person(tenant.id, 2), pg_temp.person(tenant.id, 3))
            ELSE '[]' END,
        CASE n % 4
            WHEN 0 THEN '{"visit": "2026-01-15T10:30:00", "room": "4.12"}'
            WHEN 1 THEN '{"promised": "2026-01-15T23:30:00-05:00"}'
            WHEN 2 THEN '{"measured": "2026-01-15T10:30:00.123456Z", "meter": "10432"}'
            ELSE '{}'
        END::jsonb,
        moment.created,
        moment.created + n % 5 * interval '1 hour 1.5 seconds'
    FROM tenants AS tenant, generate_series(1, 300) AS n,
        LATERAL (
            SELECT date_trunc('second', now() AT TIME ZONE 'UTC') - n * interval '5 hours 17 minutes'
                + n % 2 * interval '0.123456 seconds' AS created
        ) AS moment,
        LATERAL (
            SELECT (ARRAY['todo', 'in_progress', 'todo', 'review', 'completed', 'completed', 'cancelled'])[1 + n % 7]
                AS status
        ) AS state;
    """

let demoTaskDetails = """
    INSERT INTO task_comments (id, tenant_id, task_id, user_id, comment, created_at)
    SELECT task.id || '-comment-' || n, task.tenant_id, task.id,
        pg_temp.person(task.tenant_id, 1 + n % 8),
        (ARRAY['On my way.', 'Customer was out; will try again tomorrow.', 'Done, see photos. Ça marche!'])[n],
        task.created_at + n * interval '45 minutes'
    FROM tasks AS task, generate_series(1, 3) AS n
    WHERE right(task.id, 1)::integer % 4 >= n;

    INSERT INTO time_entries (id, tenant_id, task_id, user_id, description, hours, entry_date, created_at)
    SELECT task.id || '-time-' || n, task.tenant_id, task.id, coalesce(task.assigned_to, task.created_by),
        CASE WHEN n = 1 THEN 'On site' END, 15 * n, task.created_at + n * interval '1 hour',
        task.created_at + n * interval '1 hour'
    FROM tasks AS task, generate_series(1, 2) AS n
    WHERE task.status IN ('in_progress', 'review', 'completed');

    UPDATE tasks SET
        comment_count = (SELECT count(*) FROM task_comments WHERE task_id = tasks.id),
        time_tracked = (SELECT coalesce(sum(hours), 0) FROM time_entries WHERE task_id = tasks.id);

    INSERT INTO user_notifications (
        tenant_id, user_id, type, priority, category, title, message, entity_type, entity_id, read, read_at, metadata,
        created_at
    )
    SELECT person.tenant_id, person.id,
        (ARRAY['task_due', 'contract_renewal', 'invoice_overdue', 'lead_assigned', 'ticket_escalated'])[1 + n % 5],
        (ARRAY['medium', 'high', 'low'])[1 + n % 3], 'system', 'Notice ' || n, 'Something wants your attention.',
        'task', person.tenant_id || '-task-' || n, n % 3 = 0,
        CASE WHEN n % 3 = 0 THEN now() AT TIME ZONE 'UTC' - n * interval '2 hours' END,
        jsonb_build_object('seen', '2026-01-15T10:30:00.5+01:00', 'count', n),
        now() AT TIME ZONE 'UTC' - n * interval '3 hours 1.25 seconds'
    FROM users AS person, generate_series(1, 12) AS n
    WHERE person.tenant_id IN ('acme', 'nordlicht');
    """
