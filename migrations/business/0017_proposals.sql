-- Proposals with their lines, and what became of them.

CREATE TABLE IF NOT EXISTS proposals (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    proposal_number varchar NOT NULL,
    title varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE proposals
    ADD COLUMN IF NOT EXISTS version varchar DEFAULT '1.0',
    ADD COLUMN IF NOT EXISTS business_record_id varchar,
    ADD COLUMN IF NOT EXISTS contact_id varchar,
    ADD COLUMN IF NOT EXISTS assigned_to varchar,
    ADD COLUMN IF NOT EXISTS team_id varchar,
    ADD COLUMN IF NOT EXISTS template_id varchar,
    ADD COLUMN IF NOT EXISTS proposal_type varchar NOT NULL DEFAULT 'quote',
    ADD COLUMN IF NOT EXISTS description text,
    ADD COLUMN IF NOT EXISTS executive_summary text,
    ADD COLUMN IF NOT EXISTS terms_and_conditions text,
    ADD COLUMN IF NOT EXISTS subtotal numeric(12, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS discount_amount numeric(12, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS discount_percentage numeric(5, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS tax_amount numeric(12, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS total_amount numeric(12, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS valid_until timestamp,
    ADD COLUMN IF NOT EXISTS estimated_start_date timestamp,
    ADD COLUMN IF NOT EXISTS estimated_end_date timestamp,
    ADD COLUMN IF NOT EXISTS custom_styling jsonb,
    -- draft, sent, accepted, rejected, expired
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'draft',
    ADD COLUMN IF NOT EXISTS priority varchar DEFAULT 'medium',
    ADD COLUMN IF NOT EXISTS sent_at timestamp,
    ADD COLUMN IF NOT EXISTS viewed_at timestamp,
    ADD COLUMN IF NOT EXISTS accepted_at timestamp,
    ADD COLUMN IF NOT EXISTS rejected_at timestamp,
    ADD COLUMN IF NOT EXISTS open_count integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS last_opened_at timestamp,
    ADD COLUMN IF NOT EXISTS internal_notes text,
    -- What was made of it.
    ADD COLUMN IF NOT EXISTS deal_id varchar,
    ADD COLUMN IF NOT EXISTS contract_id varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS proposal_line_items (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    proposal_id varchar NOT NULL,
    description varchar NOT NULL
);
ALTER TABLE proposal_line_items
    ADD COLUMN IF NOT EXISTS quantity integer NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS unit_price numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS total_price numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS proposals_tenant_id ON proposals (tenant_id, id);

DO $$
BEGIN
    CREATE UNIQUE INDEX IF NOT EXISTS proposals_number ON proposals (tenant_id, proposal_number);
EXCEPTION
    WHEN unique_violation THEN RAISE NOTICE 'no unique index on proposal numbers: %', SQLERRM;
END $$;

SELECT swiftlet_refer('proposals', 'business_record_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('proposals', 'contact_id', 'company_contacts', 'SET NULL');
SELECT swiftlet_refer('proposals', 'template_id', 'proposal_templates', 'SET NULL');
SELECT swiftlet_refer('proposals', 'deal_id', 'deals', 'SET NULL');
SELECT swiftlet_refer('proposals', 'contract_id', 'contracts', 'SET NULL');
SELECT swiftlet_refer('proposal_line_items', 'proposal_id', 'proposals', 'CASCADE');

CREATE INDEX IF NOT EXISTS proposals_tenant_created ON proposals (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS proposals_tenant_status ON proposals (tenant_id, status, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS proposals_tenant_customer
    ON proposals (tenant_id, business_record_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS proposal_line_items_proposal
    ON proposal_line_items (tenant_id, proposal_id, created_at, id);

SELECT swiftlet_offer('proposals');
SELECT swiftlet_offer('proposal_line_items');
