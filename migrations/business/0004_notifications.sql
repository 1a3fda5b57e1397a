-- Notifications of one user. Elsewhere tenant_id and user_id are uuid here, which makes PostgreSQL refuse every id that
-- is not one, while tenants and users are varchar in all other tables. Ours are varchar too; a table that has uuid keeps
-- it, and policies compare as text.

CREATE TABLE IF NOT EXISTS user_notifications (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    user_id varchar NOT NULL,
    title varchar(255) NOT NULL,
    message text NOT NULL
);
ALTER TABLE user_notifications
    ADD COLUMN IF NOT EXISTS type varchar(50) NOT NULL DEFAULT 'general',
    ADD COLUMN IF NOT EXISTS priority varchar(20) NOT NULL DEFAULT 'medium',
    ADD COLUMN IF NOT EXISTS category varchar(30) NOT NULL DEFAULT 'system',
    ADD COLUMN IF NOT EXISTS entity_type varchar(50),
    ADD COLUMN IF NOT EXISTS entity_id varchar,
    ADD COLUMN IF NOT EXISTS read boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS read_at timestamp,
    ADD COLUMN IF NOT EXISTS action_url varchar(500),
    ADD COLUMN IF NOT EXISTS action_label varchar(100),
    ADD COLUMN IF NOT EXISTS metadata jsonb,
    ADD COLUMN IF NOT EXISTS created_at timestamp NOT NULL DEFAULT now();

CREATE INDEX IF NOT EXISTS user_notifications_user
    ON user_notifications (tenant_id, user_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS user_notifications_type
    ON user_notifications (tenant_id, user_id, type, created_at DESC NULLS LAST, id);
-- The badge counts these.
CREATE INDEX IF NOT EXISTS user_notifications_unread
    ON user_notifications (tenant_id, user_id, created_at DESC NULLS LAST, id) WHERE NOT read;

SELECT swiftlet_protect(
    'user_notifications',
    'tenant_id::text = (SELECT swiftlet_tenant_id()) AND user_id::text = (SELECT swiftlet_user_id())'
);
SELECT swiftlet_grant('SELECT, UPDATE, DELETE', 'user_notifications', 'authenticated');
SELECT swiftlet_grant('ALL', 'user_notifications', 'service_role');
