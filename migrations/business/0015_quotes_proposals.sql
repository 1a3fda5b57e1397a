-- Quotes with their lines, and the templates of proposals.

CREATE TABLE IF NOT EXISTS quotes (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    quote_number varchar NOT NULL,
    title varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE quotes
    ADD COLUMN IF NOT EXISTS lead_id varchar,
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    -- draft, sent, accepted, rejected, expired; the server maps and checks the words.
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'draft',
    ADD COLUMN IF NOT EXISTS total_amount numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS valid_until timestamp NOT NULL DEFAULT now() + interval '30 days',
    ADD COLUMN IF NOT EXISTS terms text,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS sent_date timestamp,
    ADD COLUMN IF NOT EXISTS accepted_date timestamp,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS quote_line_items (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    quote_id varchar NOT NULL,
    description varchar NOT NULL
);
ALTER TABLE quote_line_items
    ADD COLUMN IF NOT EXISTS quantity integer NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS unit_price numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS total_price numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS proposal_templates (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    name varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE proposal_templates
    ADD COLUMN IF NOT EXISTS description text,
    ADD COLUMN IF NOT EXISTS content text,
    ADD COLUMN IF NOT EXISTS category varchar NOT NULL DEFAULT 'general',
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS is_default boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS access_level varchar,
    ADD COLUMN IF NOT EXISTS styling jsonb,
    ADD COLUMN IF NOT EXISTS team_id varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS quotes_tenant_id ON quotes (tenant_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS proposal_templates_tenant_id ON proposal_templates (tenant_id, id);

SELECT swiftlet_refer('quotes', 'customer_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('quotes', 'lead_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('quote_line_items', 'quote_id', 'quotes', 'CASCADE');

CREATE INDEX IF NOT EXISTS quotes_tenant_created ON quotes (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS quotes_tenant_status ON quotes (tenant_id, status, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS quotes_tenant_customer
    ON quotes (tenant_id, customer_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS quotes_tenant_lead ON quotes (tenant_id, lead_id) WHERE lead_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS quote_line_items_quote ON quote_line_items (tenant_id, quote_id, created_at, id);
CREATE INDEX IF NOT EXISTS proposal_templates_tenant_created
    ON proposal_templates (tenant_id, created_at DESC NULLS LAST, id);

SELECT swiftlet_offer('quotes');
SELECT swiftlet_offer('quote_line_items');
SELECT swiftlet_offer('proposal_templates');
