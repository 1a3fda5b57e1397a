// Deals in every stage, and what was offered for them.

let demoSales = """
    INSERT INTO deal_stages (id, tenant_id, name, sort_order, color, is_closing_stage, is_won_stage)
    SELECT tenant.id || '-stage-' || stage.name, tenant.id, stage.name, stage.number, '#'
        || 3366 * stage.number % 899999 + 100000,
        stage.name LIKE 'closed%', stage.name = 'closed_won'
    FROM tenants AS tenant, unnest(ARRAY[
        'new', 'contacted', 'qualified', 'proposal', 'negotiation', 'closed_won', 'closed_lost'
    ]) WITH ORDINALITY AS stage (name, number);

    INSERT INTO deals (
        id, tenant_id, title, description, amount, owner_id, customer_id, company_name, stage_id, probability,
        expected_close_date, actual_close_date, source, priority, interest_level, primary_contact_name,
        primary_contact_email, status, created_by_id, notes, created_at, updated_at
    )
    SELECT
        company.tenant_id || '-deal-' || n, company.tenant_id, company.company_name || ': ' || (ARRAY['A3 fleet',
            'Lease', 'Service plan'])[1 + n % 3],
        'Replaces ' || 1 + n % 7 || ' old machines.', 1500 + n * 820.25, company.owner_id, company.id,
            company.company_name,
        company.tenant_id || '-stage-' || stage.name, CASE stage.name WHEN 'closed_won' THEN 100
            WHEN 'closed_lost' THEN 0 ELSE 10 + n % 7 * 12 END,
        moment.day + (n % 60 - 10) * interval '1 day',
        CASE WHEN stage.name LIKE 'closed%' THEN moment.day - n % 20 * interval '1 day' + interval '9 hours' END,
        company.source, company.priority, company.interest_level, company.primary_contact_name,
        company.primary_contact_email,
        CASE stage.name WHEN 'closed_won' THEN 'won' WHEN 'closed_lost' THEN 'lost' ELSE 'open' END,
        company.owner_id, CASE WHEN n % 3 = 0 THEN 'Wants color.' END, moment.day - n * interval '23 hours',
            moment.day - n * interval '11 hours'
    FROM generate_series(0, 69) AS n
        JOIN business_records AS company ON company.id = company.tenant_id || '-customer-' || n,
        LATERAL (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AS day) AS moment,
        LATERAL (
            SELECT (ARRAY['new', 'contacted', 'qualified', 'proposal', 'negotiation', 'closed_won',
                'closed_lost'])[1 + n % 7] AS name
        ) AS stage;

    INSERT INTO quotes (
        id, tenant_id, quote_number, title, created_by, customer_id, status, valid_until, terms, notes, sent_date,
        accepted_date, created_at, updated_at
    )
    SELECT
        deal.id || '-quote', deal.tenant_id, 'Q-' || 2000 + n, deal.title, deal.owner_id, deal.customer_id,
            state.word,
        deal.created_at + interval '45 days', 'Net 30', CASE WHEN n % 5 = 0 THEN 'Second version.' END,
        CASE WHEN state.word <> 'draft' THEN deal.created_at + interval '1 day' END,
        CASE WHEN state.word = 'accepted' THEN deal.created_at + interval '6 days' END, deal.created_at,
            deal.updated_at
    FROM generate_series(0, 69) AS n JOIN deals AS deal ON deal.id = deal.tenant_id || '-deal-' || n,
        LATERAL (SELECT (ARRAY['draft', 'sent', 'accepted', 'rejected', 'expired'])[1 + n % 5] AS word) AS state;

    INSERT INTO quote_line_items (id, tenant_id, quote_id, description, quantity, unit_price, total_price, created_at)
    SELECT quote.id || '-line-' || n, quote.tenant_id, quote.id,
        (ARRAY['Multifunction printer A3', 'Toner set', 'Installation and training'])[n], 4 - n,
        (ARRAY[1899.00, 129.90, 240.00])[n], (4 - n) * (ARRAY[1899.00, 129.90, 240.00])[n], quote.created_at
    FROM quotes AS quote, generate_series(1, 3) AS n;

    UPDATE quotes SET total_amount = (SELECT sum(total_price) FROM quote_line_items WHERE quote_id = quotes.id);

    INSERT INTO proposal_templates (id, tenant_id, name, description, content, category, is_default, created_by)
    SELECT tenant.id || '-template-' || n, tenant.id, (ARRAY['Standard', 'Managed print', 'Lease'])[n],
        'For ' || (ARRAY['single machines', 'fleets', 'long terms'])[n],
            'Dear {{contact}}, thank you for your interest …',
        (ARRAY['general', 'service', 'lease'])[n], n = 1, pg_temp.person(tenant.id, 1)
    FROM tenants AS tenant, generate_series(1, 3) AS n;

    INSERT INTO proposals (
        id, tenant_id, proposal_number, title, created_by, assigned_to, business_record_id, contact_id, template_id,
        description, terms_and_conditions, valid_until, status, sent_at, accepted_at, rejected_at, internal_notes,
            created_at,
        updated_at
    )
    SELECT
        quote.id || '-proposal', quote.tenant_id, 'P-' || substr(quote.quote_number, 3), quote.title,
            quote.created_by,
        quote.created_by, quote.customer_id, quote.customer_id || '-contact-1', quote.tenant_id || '-template-1',
        'We replace your machines and look after them.', 'Prices without tax. Delivery within four weeks.',
        quote.valid_until, quote.status, quote.sent_date, quote.accepted_date,
        CASE WHEN quote.status = 'rejected' THEN quote.sent_date + interval '3 days' END, 'Margin 22 %',
            quote.created_at,
        quote.updated_at
    FROM quotes AS quote WHERE right(quote.quote_number, 1)::integer % 2 = 0;

    INSERT INTO proposal_line_items (id, tenant_id, proposal_id, description, quantity, unit_price, total_price,
        created_at)
    SELECT line.id || '-proposal', line.tenant_id, line.quote_id || '-proposal', line.description, line.quantity,
        line.unit_price, line.total_price, line.created_at
    FROM quote_line_items AS line WHERE EXISTS (SELECT FROM proposals WHERE id = line.quote_id || '-proposal');

    UPDATE proposals SET total_amount = (
        SELECT sum(total_price) FROM proposal_line_items WHERE proposal_id = proposals.id
    );
    """
