-- Invoices with their lines.

CREATE TABLE IF NOT EXISTS invoices (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    invoice_number varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE invoices
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    ADD COLUMN IF NOT EXISTS contract_id varchar,
    ADD COLUMN IF NOT EXISTS quote_id varchar,
    ADD COLUMN IF NOT EXISTS invoice_date timestamp NOT NULL DEFAULT now(),
    ADD COLUMN IF NOT EXISTS due_date timestamp NOT NULL DEFAULT now() + interval '30 days',
    ADD COLUMN IF NOT EXISTS po_number varchar,
    -- A name.
    ADD COLUMN IF NOT EXISTS sales_rep varchar,
    ADD COLUMN IF NOT EXISTS invoice_type varchar DEFAULT 'sales',
    ADD COLUMN IF NOT EXISTS currency varchar DEFAULT 'USD',
    ADD COLUMN IF NOT EXISTS billing_email varchar,
    ADD COLUMN IF NOT EXISTS subtotal_amount numeric(10, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS tax_amount numeric(10, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS discount_amount numeric(10, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS total_amount numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS amount_paid numeric(10, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS balance_due numeric(10, 2) DEFAULT 0,
    -- The builds of the app read one or the other: the server keeps them equal.
    ADD COLUMN IF NOT EXISTS invoice_status varchar NOT NULL DEFAULT 'open',
    ADD COLUMN IF NOT EXISTS status varchar DEFAULT 'draft',
    ADD COLUMN IF NOT EXISTS payment_terms varchar,
    ADD COLUMN IF NOT EXISTS billing_period_start timestamp,
    ADD COLUMN IF NOT EXISTS billing_period_end timestamp,
    ADD COLUMN IF NOT EXISTS monthly_base numeric(10, 2),
    ADD COLUMN IF NOT EXISTS black_copies_total integer,
    ADD COLUMN IF NOT EXISTS color_copies_total integer,
    ADD COLUMN IF NOT EXISTS black_amount numeric(10, 2),
    ADD COLUMN IF NOT EXISTS color_amount numeric(10, 2),
    ADD COLUMN IF NOT EXISTS paid_date timestamp,
    ADD COLUMN IF NOT EXISTS sent_date timestamp,
    ADD COLUMN IF NOT EXISTS issuance_delay_hours integer,
    ADD COLUMN IF NOT EXISTS issued_at timestamp,
    ADD COLUMN IF NOT EXISTS invoice_notes text,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS invoice_line_items (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    invoice_id varchar NOT NULL,
    description varchar NOT NULL
);
ALTER TABLE invoice_line_items
    ADD COLUMN IF NOT EXISTS quantity integer NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS unit_price numeric(10, 4) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS amount numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS line_total numeric(10, 2) NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS tax_rate numeric(5, 4),
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now();

-- Servers before this one wrote one of the two: a word that is not its default is the later one.
UPDATE invoices SET invoice_status = status
WHERE status <> 'draft' AND invoice_status IS DISTINCT FROM status;
UPDATE invoices SET status = invoice_status
WHERE invoice_status IS NOT NULL AND status IS DISTINCT FROM invoice_status;

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS invoices_tenant_id ON invoices (tenant_id, id);

DO $$
BEGIN
    CREATE UNIQUE INDEX IF NOT EXISTS invoices_number ON invoices (tenant_id, invoice_number);
EXCEPTION
    WHEN unique_violation THEN RAISE NOTICE 'no unique index on invoice numbers: %', SQLERRM;
END $$;

SELECT swiftlet_refer('invoices', 'customer_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('invoices', 'contract_id', 'contracts', 'SET NULL');
SELECT swiftlet_refer('invoices', 'quote_id', 'quotes', 'SET NULL');
SELECT swiftlet_refer('invoice_line_items', 'invoice_id', 'invoices', 'CASCADE');

CREATE INDEX IF NOT EXISTS invoices_tenant_created ON invoices (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS invoices_tenant_status
    ON invoices (tenant_id, invoice_status, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS invoices_tenant_customer
    ON invoices (tenant_id, customer_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS invoices_tenant_due ON invoices (tenant_id, due_date);
CREATE INDEX IF NOT EXISTS invoice_line_items_invoice ON invoice_line_items (tenant_id, invoice_id, created_at, id);

SELECT swiftlet_offer('invoices');
SELECT swiftlet_offer('invoice_line_items');
