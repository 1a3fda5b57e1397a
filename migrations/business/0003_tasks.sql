-- Tasks, their comments and the time spent on them. Two definitions of `tasks` exist in the wild; this is the union of
-- both, with tags as text[] (a table that holds them as jsonb keeps them so).

CREATE TABLE IF NOT EXISTS tasks (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    title varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE tasks
    ADD COLUMN IF NOT EXISTS description text,
    -- todo, in_progress, review, completed, cancelled; the server maps and checks the words.
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'todo',
    -- low, medium, high, urgent
    ADD COLUMN IF NOT EXISTS priority varchar NOT NULL DEFAULT 'medium',
    ADD COLUMN IF NOT EXISTS assigned_to varchar,
    ADD COLUMN IF NOT EXISTS project_id varchar,
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    ADD COLUMN IF NOT EXISTS deal_id varchar,
    ADD COLUMN IF NOT EXISTS handoff_id varchar,
    ADD COLUMN IF NOT EXISTS parent_task_id varchar,
    ADD COLUMN IF NOT EXISTS start_date timestamp,
    ADD COLUMN IF NOT EXISTS due_date timestamp,
    ADD COLUMN IF NOT EXISTS completed_at timestamp,
    ADD COLUMN IF NOT EXISTS estimated_hours integer,
    ADD COLUMN IF NOT EXISTS actual_hours integer,
    ADD COLUMN IF NOT EXISTS completion_percentage integer DEFAULT 0,
    -- Minutes.
    ADD COLUMN IF NOT EXISTS time_tracked integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS comment_count integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS attachment_count integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS tags text[],
    ADD COLUMN IF NOT EXISTS dependencies jsonb DEFAULT '[]',
    ADD COLUMN IF NOT EXISTS watchers jsonb DEFAULT '[]',
    -- The app reads string values only.
    ADD COLUMN IF NOT EXISTS custom_fields jsonb DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS task_comments (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    task_id varchar NOT NULL,
    user_id varchar NOT NULL,
    comment text NOT NULL
);
ALTER TABLE task_comments
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS time_entries (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    task_id varchar NOT NULL,
    user_id varchar NOT NULL,
    -- Holds minutes, whatever its name says: existing rows do.
    hours integer NOT NULL,
    entry_date timestamp NOT NULL DEFAULT now()
);
ALTER TABLE time_entries
    ADD COLUMN IF NOT EXISTS description varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

-- A deleted task takes its comments and times along. Tables made elsewhere may hold orphans, or ids of another type:
-- they stay without the key. There are no keys to users or tenants: a verified token's user need not have a row here.
DO $$
DECLARE
    child text;
BEGIN
    FOREACH child IN ARRAY ARRAY['task_comments', 'time_entries'] LOOP
        BEGIN
            EXECUTE format(
                'ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (task_id) REFERENCES tasks (id) ON DELETE CASCADE',
                child, child || '_task_id_fkey'
            );
        EXCEPTION
            WHEN duplicate_object THEN NULL;
            WHEN foreign_key_violation OR datatype_mismatch OR invalid_foreign_key THEN
                RAISE NOTICE '% gets no foreign key to tasks: %', child, SQLERRM;
        END;
    END LOOP;
END $$;

-- One index per way to list a tenant's tasks; each carries the order, so that a page reads only its own rows and the
-- exact total never reads the table.
CREATE INDEX IF NOT EXISTS tasks_tenant_created ON tasks (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS tasks_tenant_status ON tasks (tenant_id, status, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS tasks_tenant_priority ON tasks (tenant_id, priority, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS tasks_tenant_assigned ON tasks (tenant_id, assigned_to, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS tasks_tenant_due ON tasks (tenant_id, due_date DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS tasks_tenant_project ON tasks (tenant_id, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS tasks_tenant_customer ON tasks (tenant_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS tasks_tenant_parent ON tasks (tenant_id, parent_task_id) WHERE parent_task_id IS NOT NULL;
-- The task leads: deleting one looks for its children by the task alone.
CREATE INDEX IF NOT EXISTS task_comments_task ON task_comments (task_id, tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS time_entries_task ON time_entries (task_id, tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS time_entries_tenant_user ON time_entries (tenant_id, user_id, entry_date DESC NULLS LAST);

SELECT swiftlet_protect('tasks', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
SELECT swiftlet_protect('task_comments', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
SELECT swiftlet_protect('time_entries', 'tenant_id::text = (SELECT swiftlet_tenant_id())');

SELECT swiftlet_grant('SELECT, INSERT, UPDATE, DELETE', 'tasks', 'authenticated');
SELECT swiftlet_grant('SELECT, INSERT, UPDATE, DELETE', 'task_comments', 'authenticated');
SELECT swiftlet_grant('SELECT, INSERT, UPDATE, DELETE', 'time_entries', 'authenticated');
SELECT swiftlet_grant('ALL', 'tasks', 'service_role');
SELECT swiftlet_grant('ALL', 'task_comments', 'service_role');
SELECT swiftlet_grant('ALL', 'time_entries', 'service_role');
