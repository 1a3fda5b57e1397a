-- What lets a search find a text in the middle of a word without reading the table. Everything works without: where
-- pg_trgm is not installed, or may not be, or a table is another one, there is no index.
DO $$
DECLARE
    target text[];
BEGIN
    BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
    EXCEPTION
        WHEN OTHERS THEN
            RAISE NOTICE 'searches read whole tables: %', SQLERRM;
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
                'CREATE INDEX IF NOT EXISTS %I ON %I USING gin (%s)', target[1] || '_search', target[1],
                (SELECT string_agg(name || ' gin_trgm_ops', ', ') FROM unnest(string_to_array(target[2], ', ')) name)
            );
        EXCEPTION
            WHEN undefined_table OR undefined_column OR undefined_object OR datatype_mismatch THEN
                RAISE NOTICE 'no index to search %: %', target[1], SQLERRM;
        END;
    END LOOP;
END $$;
