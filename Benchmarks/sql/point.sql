SELECT {columns} FROM tasks WHERE tenant_id = :tenant AND id = :id
