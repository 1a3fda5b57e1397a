-- Files of tickets. The files themselves are in the server's storage, under storage_key.

CREATE TABLE IF NOT EXISTS service_ticket_attachments (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    ticket_id varchar NOT NULL,
    file_name varchar NOT NULL,
    content_type varchar NOT NULL,
    size bigint NOT NULL,
    storage_key varchar NOT NULL UNIQUE,
    uploaded_by varchar NOT NULL,
    created_at timestamp NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, id)
);

SELECT swiftlet_refer('service_ticket_attachments', 'ticket_id', 'service_tickets', 'CASCADE');

CREATE INDEX IF NOT EXISTS service_ticket_attachments_ticket
    ON service_ticket_attachments (tenant_id, ticket_id, created_at DESC NULLS LAST, id DESC);

SELECT swiftlet_offer('service_ticket_attachments');
