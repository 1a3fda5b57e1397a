CREATE TABLE reminders (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    words text NOT NULL,
    due_at timestamptz NOT NULL,
    reminded_at timestamptz
);
CREATE INDEX reminders_of_tenant ON reminders (tenant_id);
SELECT swiftlet_protect('reminders', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
