-- The indexes of searches hold the tenant, too: a text that is in many rows is looked up among the tenant's own, not among
-- everybody's. Rows are read meanwhile, and written after it.
DO $$
DECLARE
    target text[];
BEGIN
    BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE EXTENSION IF NOT EXISTS btree_gin;
    EXCEPTION
        WHEN OTHERS THEN
            RAISE NOTICE 'searches look among the rows of all tenants: %', SQLERRM;
            RETURN;
    END;
    FOREACH target SLICE 1 IN ARRAY ARRAY[
        ['business_records', 'company_name, customer_number, primary_contact_name, primary_contact_email'],
        ['company_contacts', 'last_name, first_name, email'],
        ['quotes', 'quote_number, title'],
        ['service_tickets', 'ticket_number, title'],
        ['equipment', 'serial_number, model_number, asset_tag'],
        ['invoices', 'invoice_number'],
        ['tasks', 'title'],
        ['contracts', 'contract_number'],
        ['deals', 'title, company_name']
    ] LOOP
        BEGIN
            EXECUTE format(
                'CREATE INDEX IF NOT EXISTS %I ON %I USING gin (tenant_id, %s)', target[1] || '_tenant_search', target[1],
                (SELECT string_agg(name || ' gin_trgm_ops', ', ') FROM unnest(string_to_array(target[2], ', ')) name)
            );
        EXCEPTION
            WHEN undefined_table OR undefined_column OR undefined_object OR datatype_mismatch THEN
                RAISE NOTICE 'no index to search %: %', target[1], SQLERRM;
        END;
    END LOOP;
END $$;
