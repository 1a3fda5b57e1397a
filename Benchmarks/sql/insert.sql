INSERT INTO tasks (
    tags, title, status, due_date, priority, assigned_to, description, estimated_hours,
    id, tenant_id, created_by, created_at, updated_at
) VALUES (
    :tags, :title, :status, CAST(CAST(:due_date AS timestamptz) AS timestamp), :priority, :assigned_to, :description,
    :estimated_hours, gen_random_uuid(), :tenant, :user, now(), now()
) RETURNING {columns}
