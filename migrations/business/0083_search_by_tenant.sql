-- The indexes of searches hold the tenant, too: a text that is in many rows is looked up among the tenant's own, not among
-- everybody's. They take the place of those of 0018, which stay where the database lacks btree_gin, or pg_trgm.
DO $$
DECLARE
    target text[];
    columns text;
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
            columns := (SELECT string_agg(name || ' gin_trgm_ops', ', ') FROM unnest(string_to_array(target[2], ', ')) name);
            EXECUTE format(
                'CREATE INDEX IF NOT EXISTS %I ON %I USING gin (tenant_id, %s)', target[1] || '_tenant_search', target[1],
                columns
            );
            -- Of this name, but not ours, is another one.
            IF EXISTS (
                SELECT FROM pg_index WHERE indexrelid = to_regclass(format('%I', target[1] || '_search'))
                    AND indrelid = to_regclass(format('%I', target[1]))
                    AND pg_get_indexdef(indexrelid) LIKE '% USING gin (' || replace(columns, '_', '\_') || ')'
            ) THEN
                EXECUTE format('DROP INDEX %I', target[1] || '_search');
            END IF;
        EXCEPTION
            WHEN undefined_table OR undefined_column OR undefined_object OR datatype_mismatch THEN
                RAISE NOTICE 'no index to search %: %', target[1], SQLERRM;
        END;
    END LOOP;
END $$;
