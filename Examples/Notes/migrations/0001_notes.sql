CREATE TABLE notes (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    title varchar(200) NOT NULL,
    body text,
    topic varchar(50),
    archived boolean NOT NULL DEFAULT false,
    created_by varchar,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
-- The order of the list.
CREATE INDEX notes_tenant_created ON notes (tenant_id, created_at DESC NULLS LAST, id);
-- A second wall, for every database role but Swiftlet's own.
SELECT swiftlet_protect('notes', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
