SELECT {columns} FROM tasks WHERE id = :id AND tenant_id = :tenant
