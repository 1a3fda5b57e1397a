INSERT INTO tasks (
    title, description, status, priority, assigned_to, due_date, estimated_hours, tags,
    id, tenant_id, created_by, created_at, updated_at
) VALUES (
    :title, :description, :status, :priority, :assigned_to, CAST(CAST(:due_date AS timestamptz) AS timestamp),
    :estimated_hours, :tags, gen_random_uuid(), :tenant, :user, now(), now()
) RETURNING {columns}
