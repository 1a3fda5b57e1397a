SELECT {columns} FROM tasks WHERE tenant_id = :tenant
ORDER BY created_at DESC NULLS LAST, id LIMIT 25 OFFSET :offset
