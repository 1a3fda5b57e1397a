CREATE TABLE photos (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    title text NOT NULL,
    object_key text NOT NULL,
    content_type text NOT NULL,
    bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX photos_of_tenant ON photos (tenant_id, created_at DESC);
SELECT swiftlet_protect('photos', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
