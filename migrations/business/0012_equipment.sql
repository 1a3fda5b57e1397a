-- Machines at customers, and what their meters said.

CREATE TABLE IF NOT EXISTS equipment (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL
);
ALTER TABLE equipment
    -- The app notes machines down before anybody knows whose they are, or what their plate says.
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    ADD COLUMN IF NOT EXISTS serial_number varchar,
    ADD COLUMN IF NOT EXISTS model_number varchar,
    ADD COLUMN IF NOT EXISTS manufacturer varchar,
    ADD COLUMN IF NOT EXISTS description text,
    ADD COLUMN IF NOT EXISTS asset_tag varchar,
    ADD COLUMN IF NOT EXISTS external_id varchar,
    ADD COLUMN IF NOT EXISTS external_system_id varchar,
    ADD COLUMN IF NOT EXISTS external_data jsonb,
    ADD COLUMN IF NOT EXISTS migration_status varchar,
    ADD COLUMN IF NOT EXISTS last_sync_date timestamp,
    ADD COLUMN IF NOT EXISTS location_id varchar,
    ADD COLUMN IF NOT EXISTS location_description text,
    ADD COLUMN IF NOT EXISTS floor varchar,
    ADD COLUMN IF NOT EXISTS department varchar,
    ADD COLUMN IF NOT EXISTS install_date timestamp,
    ADD COLUMN IF NOT EXISTS ip_address varchar,
    ADD COLUMN IF NOT EXISTS mac_address varchar,
    ADD COLUMN IF NOT EXISTS firmware_version varchar,
    ADD COLUMN IF NOT EXISTS meter_type varchar,
    ADD COLUMN IF NOT EXISTS is_color_capable boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS equipment_status varchar DEFAULT 'active',
    ADD COLUMN IF NOT EXISTS current_meter_black integer,
    ADD COLUMN IF NOT EXISTS current_meter_color integer,
    ADD COLUMN IF NOT EXISTS monthly_volume_black integer,
    ADD COLUMN IF NOT EXISTS monthly_volume_color integer,
    ADD COLUMN IF NOT EXISTS purchase_price numeric(10, 2),
    ADD COLUMN IF NOT EXISTS monthly_payment numeric(10, 2),
    ADD COLUMN IF NOT EXISTS lease_expires_date timestamp,
    ADD COLUMN IF NOT EXISTS warranty_expires_date timestamp,
    ADD COLUMN IF NOT EXISTS contract_id varchar,
    ADD COLUMN IF NOT EXISTS service_contract_number varchar,
    ADD COLUMN IF NOT EXISTS last_service_date timestamp,
    ADD COLUMN IF NOT EXISTS next_service_due_date timestamp,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS created_by varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS meter_readings (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    equipment_id varchar NOT NULL,
    reading_date timestamp NOT NULL DEFAULT now(),
    created_by varchar NOT NULL
);
ALTER TABLE meter_readings
    ADD COLUMN IF NOT EXISTS contract_id varchar,
    ADD COLUMN IF NOT EXISTS bw_meter_reading integer,
    ADD COLUMN IF NOT EXISTS color_meter_reading integer,
    ADD COLUMN IF NOT EXISTS scan_meter_reading integer,
    ADD COLUMN IF NOT EXISTS fax_meter_reading integer,
    ADD COLUMN IF NOT EXISTS large_paper_meter_reading integer,
    ADD COLUMN IF NOT EXISTS previous_black_meter integer,
    ADD COLUMN IF NOT EXISTS previous_color_meter integer,
    ADD COLUMN IF NOT EXISTS black_copies integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS color_copies integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS reading_method varchar DEFAULT 'manual',
    ADD COLUMN IF NOT EXISTS collection_method varchar,
    ADD COLUMN IF NOT EXISTS technician_id varchar,
    ADD COLUMN IF NOT EXISTS billing_status varchar,
    ADD COLUMN IF NOT EXISTS billing_amount numeric(10, 2),
    ADD COLUMN IF NOT EXISTS adjustment_amount numeric(10, 2),
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS equipment_tenant_id ON equipment (tenant_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS meter_readings_tenant_id ON meter_readings (tenant_id, id);

-- One tenant's machines are nobody else's business. A database where old rows repeat a number goes without the index.
DO $$
BEGIN
    CREATE UNIQUE INDEX IF NOT EXISTS equipment_serial_number ON equipment (tenant_id, serial_number);
EXCEPTION
    WHEN unique_violation THEN RAISE NOTICE 'no unique index on serial numbers: %', SQLERRM;
END $$;

SELECT swiftlet_refer('equipment', 'customer_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('meter_readings', 'equipment_id', 'equipment', 'CASCADE');

CREATE INDEX IF NOT EXISTS equipment_tenant_installed
    ON equipment (tenant_id, install_date DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS equipment_tenant_status
    ON equipment (tenant_id, equipment_status, install_date DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS equipment_tenant_customer
    ON equipment (tenant_id, customer_id, install_date DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS meter_readings_tenant_date ON meter_readings (tenant_id, reading_date DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS meter_readings_equipment
    ON meter_readings (tenant_id, equipment_id, reading_date DESC NULLS LAST, id);

SELECT swiftlet_offer('equipment');
SELECT swiftlet_offer('meter_readings');
