-- The indexes of 0018 whose place those of 0083 have taken. It is a file of its own, as nobody reads a table whose index
-- goes until the transaction ends. One that somebody uses for too long stays, and harms nothing.
SET LOCAL lock_timeout = '2s';
DO $$
DECLARE
    target text[];
    columns text;
BEGIN
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
        columns := (SELECT string_agg(name || ' gin_trgm_ops', ', ') FROM unnest(string_to_array(target[2], ', ')) name);
        -- Of these names, but not ours, are others.
        IF 2 = (
            SELECT count(*) FROM pg_index WHERE indrelid = to_regclass(format('%I', target[1])) AND (
                indexrelid = to_regclass(format('%I', target[1] || '_search'))
                    AND right(pg_get_indexdef(indexrelid), length(columns) + 13) = ' USING gin (' || columns || ')'
                OR indexrelid = to_regclass(format('%I', target[1] || '_tenant_search'))
                    AND right(pg_get_indexdef(indexrelid), length(columns) + 24) = ' USING gin (tenant_id, ' || columns || ')'
            )
        ) THEN
            BEGIN
                EXECUTE format('DROP INDEX %I', target[1] || '_search');
            EXCEPTION
                WHEN lock_not_available OR deadlock_detected THEN
                    RAISE NOTICE 'the index % stays: %', target[1] || '_search', SQLERRM;
            END;
        END IF;
    END LOOP;
END $$;
