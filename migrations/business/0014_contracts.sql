-- What customers pay for month by month, and until when.

CREATE TABLE IF NOT EXISTS contracts (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    contract_number varchar NOT NULL,
    start_date timestamp NOT NULL,
    end_date timestamp NOT NULL
);
ALTER TABLE contracts
    -- The app signs a contract before it asks with whom.
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    ADD COLUMN IF NOT EXISTS title varchar,
    ADD COLUMN IF NOT EXISTS type varchar DEFAULT 'service',
    -- draft, active, expiring, expired, renewed, cancelled, churned
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'active',
    ADD COLUMN IF NOT EXISTS black_rate numeric(10, 4),
    ADD COLUMN IF NOT EXISTS color_rate numeric(10, 4),
    ADD COLUMN IF NOT EXISTS monthly_base numeric(10, 2),
    ADD COLUMN IF NOT EXISTS annual_value numeric(12, 2),
    ADD COLUMN IF NOT EXISTS total_value numeric(12, 2),
    ADD COLUMN IF NOT EXISTS billing_frequency varchar DEFAULT 'monthly',
    ADD COLUMN IF NOT EXISTS payment_terms varchar,
    ADD COLUMN IF NOT EXISTS coverage_type varchar,
    ADD COLUMN IF NOT EXISTS includes_supplies boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS sla_response_hours integer,
    ADD COLUMN IF NOT EXISTS auto_renew boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS renewal_term_months integer,
    -- The contract that this one goes on from; no contract has two of those.
    ADD COLUMN IF NOT EXISTS renewed_from_id varchar,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS created_by varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS contracts_tenant_id ON contracts (tenant_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS contracts_renewed_from ON contracts (tenant_id, renewed_from_id);

DO $$
BEGIN
    CREATE UNIQUE INDEX IF NOT EXISTS contracts_number ON contracts (tenant_id, contract_number);
EXCEPTION
    WHEN unique_violation THEN RAISE NOTICE 'no unique index on contract numbers: %', SQLERRM;
END $$;

SELECT swiftlet_refer('contracts', 'customer_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('contracts', 'renewed_from_id', 'contracts', 'SET NULL');
SELECT swiftlet_refer('equipment', 'contract_id', 'contracts', 'SET NULL');

CREATE INDEX IF NOT EXISTS contracts_tenant_created ON contracts (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS contracts_tenant_status ON contracts (tenant_id, status, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS contracts_tenant_customer
    ON contracts (tenant_id, customer_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS contracts_tenant_end ON contracts (tenant_id, end_date, id);
CREATE INDEX IF NOT EXISTS equipment_tenant_contract
    ON equipment (tenant_id, contract_id) WHERE contract_id IS NOT NULL;

SELECT swiftlet_offer('contracts');
