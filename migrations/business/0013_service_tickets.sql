-- Calls for help, and what happened to each of them.

CREATE TABLE IF NOT EXISTS service_tickets (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    ticket_number varchar NOT NULL,
    title varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE service_tickets
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    ADD COLUMN IF NOT EXISTS equipment_id varchar,
    ADD COLUMN IF NOT EXISTS description text,
    -- Words of the app, stored as they come.
    ADD COLUMN IF NOT EXISTS priority varchar NOT NULL DEFAULT 'medium',
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'open',
    ADD COLUMN IF NOT EXISTS category varchar,
    ADD COLUMN IF NOT EXISTS subcategory varchar,
    ADD COLUMN IF NOT EXISTS source varchar,
    ADD COLUMN IF NOT EXISTS location_id varchar,
    ADD COLUMN IF NOT EXISTS location_name varchar,
    ADD COLUMN IF NOT EXISTS assigned_technician_id varchar,
    ADD COLUMN IF NOT EXISTS assigned_team_id varchar,
    ADD COLUMN IF NOT EXISTS scheduled_date timestamp,
    ADD COLUMN IF NOT EXISTS scheduled_time varchar,
    -- Minutes.
    ADD COLUMN IF NOT EXISTS estimated_duration integer,
    ADD COLUMN IF NOT EXISTS actual_duration integer,
    ADD COLUMN IF NOT EXISTS response_time integer,
    ADD COLUMN IF NOT EXISTS first_response_at timestamp,
    ADD COLUMN IF NOT EXISTS sla_deadline timestamp,
    ADD COLUMN IF NOT EXISTS customer_address text,
    ADD COLUMN IF NOT EXISTS customer_phone varchar,
    ADD COLUMN IF NOT EXISTS required_skills text[],
    ADD COLUMN IF NOT EXISTS required_parts text[],
    ADD COLUMN IF NOT EXISTS work_order_notes text,
    ADD COLUMN IF NOT EXISTS resolution_notes text,
    ADD COLUMN IF NOT EXISTS root_cause text,
    ADD COLUMN IF NOT EXISTS customer_signature text,
    ADD COLUMN IF NOT EXISTS parts_used text[],
    ADD COLUMN IF NOT EXISTS labor_hours numeric(4, 2),
    ADD COLUMN IF NOT EXISTS resolved_at timestamp,
    ADD COLUMN IF NOT EXISTS resolved_by varchar,
    ADD COLUMN IF NOT EXISTS closed_at timestamp,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS service_ticket_updates (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    ticket_id varchar NOT NULL,
    updated_by varchar NOT NULL
);
ALTER TABLE service_ticket_updates
    -- note, status_change, assignment, escalation, resolution, parts_ordered
    ADD COLUMN IF NOT EXISTS update_type varchar NOT NULL DEFAULT 'note',
    ADD COLUMN IF NOT EXISTS old_value varchar,
    ADD COLUMN IF NOT EXISTS new_value varchar,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS service_tickets_tenant_id ON service_tickets (tenant_id, id);

DO $$
BEGIN
    CREATE UNIQUE INDEX IF NOT EXISTS service_tickets_number ON service_tickets (tenant_id, ticket_number);
EXCEPTION
    WHEN unique_violation THEN RAISE NOTICE 'no unique index on ticket numbers: %', SQLERRM;
END $$;

SELECT swiftlet_refer('service_tickets', 'customer_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('service_tickets', 'equipment_id', 'equipment', 'SET NULL');
SELECT swiftlet_refer('service_ticket_updates', 'ticket_id', 'service_tickets', 'CASCADE');

CREATE INDEX IF NOT EXISTS service_tickets_tenant_created
    ON service_tickets (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS service_tickets_tenant_status
    ON service_tickets (tenant_id, status, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS service_tickets_tenant_priority
    ON service_tickets (tenant_id, priority, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS service_tickets_tenant_technician
    ON service_tickets (tenant_id, assigned_technician_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS service_tickets_tenant_customer
    ON service_tickets (tenant_id, customer_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS service_tickets_tenant_equipment
    ON service_tickets (tenant_id, equipment_id, created_at DESC NULLS LAST, id) WHERE equipment_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS service_tickets_tenant_scheduled
    ON service_tickets (tenant_id, scheduled_date) WHERE scheduled_date IS NOT NULL;
CREATE INDEX IF NOT EXISTS service_ticket_updates_ticket
    ON service_ticket_updates (tenant_id, ticket_id, created_at DESC NULLS LAST, id DESC);

SELECT swiftlet_offer('service_tickets');
SELECT swiftlet_offer('service_ticket_updates');
