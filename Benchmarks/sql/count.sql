SELECT count(*) FROM tasks WHERE tenant_id = :tenant
