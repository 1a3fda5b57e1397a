-- Companies from the first lead to the former customer, the people there, what was done with them, and deals. Every
-- table is made with its essence, then gains column by column: a table that was made elsewhere keeps what it has.

-- Makes `child.column` refer to a row of `parent` in the same tenant, by a key that holds the tenant: so no row can
-- ever refer to another tenant's. `deletion` is what happens to the child when its parent goes: CASCADE, SET NULL or
-- NO ACTION. Tables made elsewhere may hold orphans, ids of another type, or no tenant: they stay without the key.
CREATE OR REPLACE FUNCTION swiftlet_refer(child regclass, foreign_key name, parent regclass, deletion text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    -- PostgreSQL before 15 cannot leave the tenant as it is.
    action text := CASE
        WHEN deletion <> 'SET NULL' THEN deletion
        WHEN current_setting('server_version_num')::integer >= 150000 THEN format('SET NULL (%I)', foreign_key)
        ELSE 'NO ACTION'
    END;
BEGIN
    EXECUTE format(
        'ALTER TABLE %s ADD CONSTRAINT %I FOREIGN KEY (tenant_id, %I) REFERENCES %s (tenant_id, id) ON DELETE %s',
        child, (SELECT relname FROM pg_class WHERE oid = child) || '_' || foreign_key || '_tenant_fkey',
        foreign_key, parent, action
    );
EXCEPTION
    WHEN duplicate_object THEN NULL;
    WHEN foreign_key_violation OR datatype_mismatch OR invalid_foreign_key OR undefined_column THEN
        RAISE NOTICE '%.% gets no foreign key to %: %', child, foreign_key, parent, SQLERRM;
END $$;

-- What every business table is given: row policies, and grants to those who show a token.
CREATE OR REPLACE FUNCTION swiftlet_offer(target regclass) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM swiftlet_protect(target, 'tenant_id::text = (SELECT swiftlet_tenant_id())');
    PERFORM swiftlet_grant('SELECT, INSERT, UPDATE, DELETE', target, 'authenticated');
    PERFORM swiftlet_grant('ALL', target, 'service_role');
END $$;

-- These carry the rights of whoever calls them; nobody but the owner has a use for them.
REVOKE ALL ON FUNCTION swiftlet_refer(regclass, name, regclass, text), swiftlet_offer(regclass) FROM PUBLIC;

CREATE TABLE IF NOT EXISTS business_records (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    company_name varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE business_records
    -- lead, prospect, customer, former_customer; the server maps and checks the words.
    ADD COLUMN IF NOT EXISTS record_type varchar NOT NULL DEFAULT 'lead',
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'new',
    ADD COLUMN IF NOT EXISTS external_id varchar,
    ADD COLUMN IF NOT EXISTS external_system_id varchar,
    ADD COLUMN IF NOT EXISTS external_customer_id varchar,
    ADD COLUMN IF NOT EXISTS external_lead_id varchar,
    ADD COLUMN IF NOT EXISTS migration_status varchar,
    ADD COLUMN IF NOT EXISTS last_sync_date timestamp,
    ADD COLUMN IF NOT EXISTS external_data jsonb,
    ADD COLUMN IF NOT EXISTS account_number varchar,
    ADD COLUMN IF NOT EXISTS account_type varchar,
    ADD COLUMN IF NOT EXISTS website varchar,
    ADD COLUMN IF NOT EXISTS industry varchar,
    ADD COLUMN IF NOT EXISTS company_size varchar,
    ADD COLUMN IF NOT EXISTS employee_count integer,
    ADD COLUMN IF NOT EXISTS annual_revenue numeric(15, 2),
    ADD COLUMN IF NOT EXISTS customer_rating varchar,
    ADD COLUMN IF NOT EXISTS parent_account_id varchar,
    ADD COLUMN IF NOT EXISTS customer_priority varchar,
    ADD COLUMN IF NOT EXISTS sla_level varchar,
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS upsell_opportunity varchar,
    ADD COLUMN IF NOT EXISTS account_notes text,
    ADD COLUMN IF NOT EXISTS primary_contact_name varchar,
    ADD COLUMN IF NOT EXISTS primary_contact_email varchar,
    ADD COLUMN IF NOT EXISTS primary_contact_phone varchar,
    ADD COLUMN IF NOT EXISTS primary_contact_title varchar,
    ADD COLUMN IF NOT EXISTS billing_contact_name varchar,
    ADD COLUMN IF NOT EXISTS billing_contact_email varchar,
    ADD COLUMN IF NOT EXISTS billing_contact_phone varchar,
    ADD COLUMN IF NOT EXISTS address_line1 varchar,
    ADD COLUMN IF NOT EXISTS address_line2 varchar,
    ADD COLUMN IF NOT EXISTS city varchar,
    ADD COLUMN IF NOT EXISTS state varchar,
    ADD COLUMN IF NOT EXISTS postal_code varchar,
    ADD COLUMN IF NOT EXISTS country varchar DEFAULT 'US',
    ADD COLUMN IF NOT EXISTS latitude numeric(10, 7),
    ADD COLUMN IF NOT EXISTS longitude numeric(10, 7),
    ADD COLUMN IF NOT EXISTS billing_address_1 varchar,
    ADD COLUMN IF NOT EXISTS billing_address_2 varchar,
    ADD COLUMN IF NOT EXISTS billing_city varchar,
    ADD COLUMN IF NOT EXISTS billing_state varchar,
    ADD COLUMN IF NOT EXISTS billing_zip_code varchar,
    ADD COLUMN IF NOT EXISTS phone varchar,
    ADD COLUMN IF NOT EXISTS fax varchar,
    ADD COLUMN IF NOT EXISTS preferred_contact_method varchar,
    ADD COLUMN IF NOT EXISTS source varchar NOT NULL DEFAULT 'website',
    ADD COLUMN IF NOT EXISTS estimated_deal_value numeric(12, 2),
    ADD COLUMN IF NOT EXISTS probability integer DEFAULT 50,
    ADD COLUMN IF NOT EXISTS close_date timestamp,
    ADD COLUMN IF NOT EXISTS sales_stage varchar,
    ADD COLUMN IF NOT EXISTS interest_level varchar,
    ADD COLUMN IF NOT EXISTS owner_id varchar,
    ADD COLUMN IF NOT EXISTS assigned_sales_rep varchar,
    ADD COLUMN IF NOT EXISTS territory varchar,
    ADD COLUMN IF NOT EXISTS account_manager_id varchar,
    ADD COLUMN IF NOT EXISTS lead_score integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS priority varchar DEFAULT 'medium',
    ADD COLUMN IF NOT EXISTS customer_number varchar,
    ADD COLUMN IF NOT EXISTS company_display_id varchar,
    ADD COLUMN IF NOT EXISTS url_slug varchar,
    ADD COLUMN IF NOT EXISTS customer_since timestamp,
    ADD COLUMN IF NOT EXISTS customer_until timestamp,
    ADD COLUMN IF NOT EXISTS deactivation_reason text,
    ADD COLUMN IF NOT EXISTS reactivation_date timestamp,
    ADD COLUMN IF NOT EXISTS churned_date timestamp,
    ADD COLUMN IF NOT EXISTS competitor_name varchar,
    ADD COLUMN IF NOT EXISTS credit_limit numeric(12, 2),
    ADD COLUMN IF NOT EXISTS payment_terms varchar,
    ADD COLUMN IF NOT EXISTS billing_terms varchar,
    ADD COLUMN IF NOT EXISTS tax_exempt boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS tax_id varchar,
    ADD COLUMN IF NOT EXISTS customer_tier varchar,
    ADD COLUMN IF NOT EXISTS preferred_technician varchar,
    ADD COLUMN IF NOT EXISTS last_service_date timestamp,
    ADD COLUMN IF NOT EXISTS next_scheduled_service timestamp,
    ADD COLUMN IF NOT EXISTS last_invoice_date timestamp,
    ADD COLUMN IF NOT EXISTS last_payment_date timestamp,
    ADD COLUMN IF NOT EXISTS current_balance numeric(12, 2) DEFAULT 0,
    ADD COLUMN IF NOT EXISTS last_meter_reading_date timestamp,
    ADD COLUMN IF NOT EXISTS next_meter_reading_date timestamp,
    ADD COLUMN IF NOT EXISTS last_contact_date timestamp,
    ADD COLUMN IF NOT EXISTS next_follow_up_date timestamp,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS custom_fields jsonb,
    ADD COLUMN IF NOT EXISTS converted_by varchar,
    ADD COLUMN IF NOT EXISTS deactivated_by varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS business_record_activities (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    business_record_id varchar NOT NULL,
    activity_type varchar NOT NULL,
    subject varchar NOT NULL,
    created_by varchar NOT NULL
);
ALTER TABLE business_record_activities
    ADD COLUMN IF NOT EXISTS description text,
    ADD COLUMN IF NOT EXISTS direction varchar,
    ADD COLUMN IF NOT EXISTS email_from varchar,
    ADD COLUMN IF NOT EXISTS email_to text,
    ADD COLUMN IF NOT EXISTS email_cc text,
    ADD COLUMN IF NOT EXISTS email_subject varchar,
    ADD COLUMN IF NOT EXISTS email_body text,
    ADD COLUMN IF NOT EXISTS is_shared boolean DEFAULT false,
    -- Minutes.
    ADD COLUMN IF NOT EXISTS call_duration integer,
    ADD COLUMN IF NOT EXISTS call_outcome varchar,
    ADD COLUMN IF NOT EXISTS scheduled_date timestamp,
    ADD COLUMN IF NOT EXISTS completed_date timestamp,
    ADD COLUMN IF NOT EXISTS due_date timestamp,
    ADD COLUMN IF NOT EXISTS outcome varchar,
    ADD COLUMN IF NOT EXISTS next_action text,
    ADD COLUMN IF NOT EXISTS follow_up_date timestamp,
    ADD COLUMN IF NOT EXISTS related_records jsonb,
    ADD COLUMN IF NOT EXISTS attachments jsonb,
    -- Where the phone was when the visit was logged.
    ADD COLUMN IF NOT EXISTS latitude double precision,
    ADD COLUMN IF NOT EXISTS longitude double precision,
    ADD COLUMN IF NOT EXISTS horizontal_accuracy_meters double precision,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

-- The company and the last name may be missing: the app lets people note down what they have.
CREATE TABLE IF NOT EXISTS company_contacts (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    company_id varchar,
    last_name varchar
);
ALTER TABLE company_contacts
    ADD COLUMN IF NOT EXISTS salutation varchar,
    ADD COLUMN IF NOT EXISTS first_name varchar,
    ADD COLUMN IF NOT EXISTS title varchar,
    ADD COLUMN IF NOT EXISTS department varchar,
    ADD COLUMN IF NOT EXISTS phone varchar,
    ADD COLUMN IF NOT EXISTS mobile varchar,
    ADD COLUMN IF NOT EXISTS email varchar,
    ADD COLUMN IF NOT EXISTS reports_to varchar,
    -- primary, billing, technical, decision_maker
    ADD COLUMN IF NOT EXISTS contact_roles text,
    ADD COLUMN IF NOT EXISTS is_primary_contact boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS lead_status varchar DEFAULT 'new',
    ADD COLUMN IF NOT EXISTS last_contact_date timestamp,
    ADD COLUMN IF NOT EXISTS next_follow_up_date timestamp,
    ADD COLUMN IF NOT EXISTS owner_id varchar,
    ADD COLUMN IF NOT EXISTS preferred_channels text,
    ADD COLUMN IF NOT EXISTS preferred_contact_method varchar,
    ADD COLUMN IF NOT EXISTS do_not_contact boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS birthdate timestamp,
    ADD COLUMN IF NOT EXISTS mailing_address varchar,
    ADD COLUMN IF NOT EXISTS mailing_city varchar,
    ADD COLUMN IF NOT EXISTS mailing_state varchar,
    ADD COLUMN IF NOT EXISTS mailing_zip varchar,
    ADD COLUMN IF NOT EXISTS mailing_country varchar,
    ADD COLUMN IF NOT EXISTS other_address varchar,
    ADD COLUMN IF NOT EXISTS other_city varchar,
    ADD COLUMN IF NOT EXISTS other_state varchar,
    ADD COLUMN IF NOT EXISTS other_zip varchar,
    ADD COLUMN IF NOT EXISTS other_country varchar,
    ADD COLUMN IF NOT EXISTS assistant varchar,
    ADD COLUMN IF NOT EXISTS assistant_phone varchar,
    ADD COLUMN IF NOT EXISTS fax varchar,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS created_by varchar,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS deal_stages (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    name varchar(100) NOT NULL
);
ALTER TABLE deal_stages
    ADD COLUMN IF NOT EXISTS description text,
    ADD COLUMN IF NOT EXISTS color varchar(7),
    ADD COLUMN IF NOT EXISTS sort_order integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS is_active boolean DEFAULT true,
    ADD COLUMN IF NOT EXISTS is_closing_stage boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS is_won_stage boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS requires_approval boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS auto_move_conditions jsonb,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

CREATE TABLE IF NOT EXISTS deals (
    id varchar PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id varchar NOT NULL,
    title varchar(200) NOT NULL,
    owner_id varchar NOT NULL,
    stage_id varchar NOT NULL,
    created_by_id varchar NOT NULL
);
ALTER TABLE deals
    ADD COLUMN IF NOT EXISTS description text,
    ADD COLUMN IF NOT EXISTS amount numeric(12, 2),
    ADD COLUMN IF NOT EXISTS customer_id varchar,
    ADD COLUMN IF NOT EXISTS company_name varchar,
    ADD COLUMN IF NOT EXISTS probability integer DEFAULT 0,
    ADD COLUMN IF NOT EXISTS expected_close_date timestamp,
    ADD COLUMN IF NOT EXISTS actual_close_date timestamp,
    ADD COLUMN IF NOT EXISTS source varchar,
    ADD COLUMN IF NOT EXISTS deal_type varchar,
    ADD COLUMN IF NOT EXISTS priority varchar DEFAULT 'medium',
    ADD COLUMN IF NOT EXISTS interest_level varchar,
    ADD COLUMN IF NOT EXISTS customer_rating varchar,
    ADD COLUMN IF NOT EXISTS assigned_sales_rep varchar,
    ADD COLUMN IF NOT EXISTS territory varchar,
    ADD COLUMN IF NOT EXISTS primary_contact_name varchar,
    ADD COLUMN IF NOT EXISTS primary_contact_email varchar,
    ADD COLUMN IF NOT EXISTS primary_contact_phone varchar,
    ADD COLUMN IF NOT EXISTS products_interested text,
    ADD COLUMN IF NOT EXISTS estimated_monthly_value numeric(10, 2),
    -- open, won, lost, on_hold
    ADD COLUMN IF NOT EXISTS status varchar NOT NULL DEFAULT 'open',
    ADD COLUMN IF NOT EXISTS lost_reason text,
    ADD COLUMN IF NOT EXISTS last_activity_date timestamp,
    ADD COLUMN IF NOT EXISTS next_follow_up_date timestamp,
    ADD COLUMN IF NOT EXISTS notes text,
    ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamp DEFAULT now();

-- What foreign keys with the tenant refer to.
CREATE UNIQUE INDEX IF NOT EXISTS business_records_tenant_id ON business_records (tenant_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS company_contacts_tenant_id ON company_contacts (tenant_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS deal_stages_tenant_id ON deal_stages (tenant_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS deals_tenant_id ON deals (tenant_id, id);

-- A company takes its activities and people along; deals, and companies below it, stay. There are no keys to users or
-- tenants: a verified token's user need not have a row here.
SELECT swiftlet_refer('business_records', 'parent_account_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('business_record_activities', 'business_record_id', 'business_records', 'CASCADE');
SELECT swiftlet_refer('company_contacts', 'company_id', 'business_records', 'CASCADE');
SELECT swiftlet_refer('deals', 'customer_id', 'business_records', 'SET NULL');
SELECT swiftlet_refer('deals', 'stage_id', 'deal_stages', 'NO ACTION');

-- One tenant's numbers are nobody else's business. A database where old rows repeat one goes without the index.
DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY[
        'business_records_customer_number ON business_records (tenant_id, customer_number)',
        'business_records_display_id ON business_records (tenant_id, company_display_id)',
        'business_records_url_slug ON business_records (tenant_id, url_slug)',
        -- Two requests that use a new stage at once make one.
        'deal_stages_tenant_name ON deal_stages (tenant_id, lower(translate(name, '' -'', ''__'')))'
    ] LOOP
        BEGIN
            EXECUTE 'CREATE UNIQUE INDEX IF NOT EXISTS ' || target;
        EXCEPTION
            WHEN unique_violation THEN RAISE NOTICE 'no unique index %: %', target, SQLERRM;
        END;
    END LOOP;
END $$;

-- One index per way to list a tenant's rows; each carries the order, so that a page reads only its own rows and the
-- exact total never reads the table.
CREATE INDEX IF NOT EXISTS business_records_tenant_created
    ON business_records (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_records_tenant_type
    ON business_records (tenant_id, record_type, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_records_tenant_status
    ON business_records (tenant_id, status, record_type, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_records_tenant_name ON business_records (tenant_id, company_name, id);
CREATE INDEX IF NOT EXISTS business_records_tenant_owner
    ON business_records (tenant_id, owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS business_records_parent
    ON business_records (tenant_id, parent_account_id) WHERE parent_account_id IS NOT NULL;

CREATE INDEX IF NOT EXISTS business_record_activities_tenant_created
    ON business_record_activities (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_record_activities_record
    ON business_record_activities (tenant_id, business_record_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_record_activities_type
    ON business_record_activities (tenant_id, activity_type, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_record_activities_author
    ON business_record_activities (tenant_id, created_by, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS business_record_activities_scheduled
    ON business_record_activities (tenant_id, scheduled_date) WHERE scheduled_date IS NOT NULL;

CREATE INDEX IF NOT EXISTS company_contacts_tenant_created
    ON company_contacts (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS company_contacts_company
    ON company_contacts (tenant_id, company_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS company_contacts_owner
    ON company_contacts (tenant_id, owner_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS company_contacts_name ON company_contacts (tenant_id, last_name, id);

CREATE INDEX IF NOT EXISTS deal_stages_tenant_order ON deal_stages (tenant_id, sort_order, id);

CREATE INDEX IF NOT EXISTS deals_tenant_created ON deals (tenant_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS deals_tenant_stage ON deals (tenant_id, stage_id, created_at DESC NULLS LAST, id);
CREATE INDEX IF NOT EXISTS deals_tenant_status ON deals (tenant_id, status, actual_close_date);
CREATE INDEX IF NOT EXISTS deals_tenant_owner ON deals (tenant_id, owner_id, status);
CREATE INDEX IF NOT EXISTS deals_tenant_customer
    ON deals (tenant_id, customer_id) WHERE customer_id IS NOT NULL;

-- Who starts out sees their own contacts only.
SELECT swiftlet_protect(
    'company_contacts',
    $$tenant_id::text = (SELECT swiftlet_tenant_id()) AND (
        (SELECT coalesce(
            (swiftlet_claims() #>> '{app_metadata,role_level}')::numeric,
            (swiftlet_claims() #>> '{app_metadata,roleLevel}')::numeric, 1
        )) >= 2 OR owner_id::text = (SELECT swiftlet_user_id()))$$
);
SELECT swiftlet_offer('business_records');
SELECT swiftlet_offer('business_record_activities');
SELECT swiftlet_offer('company_contacts');
SELECT swiftlet_offer('deal_stages');
SELECT swiftlet_offer('deals');
