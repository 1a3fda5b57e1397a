// Contracts, the machines under them, their meters, calls for help, and what all of that cost.

let demoService = """
    INSERT INTO contracts (
        id, tenant_id, contract_number, start_date, end_date, customer_id, title, type, status, black_rate,
            color_rate,
        monthly_base, annual_value, billing_frequency, coverage_type, includes_supplies, sla_response_hours,
            auto_renew,
        renewal_term_months, notes, created_by, created_at, updated_at
    )
    SELECT
        company.id || '-contract', company.tenant_id, 'C-' || 3000 + n, term.day - interval '1 year'
            + interval '1 day', term.day,
        company.id, company.company_name || ' service', (ARRAY['service', 'lease', 'rental'])[1 + n % 3],
        CASE WHEN term.day < now() AT TIME ZONE 'UTC' THEN 'expired' WHEN n % 9 = 0 THEN 'draft'
            WHEN term.day < now() AT TIME ZONE 'UTC' + interval '30 days' THEN 'expiring' ELSE 'active' END,
        0.0079, 0.0610, 80 + n * 3.5, 12 * (80 + n * 3.5), 'monthly', (ARRAY['full', 'parts', 'labor'])[1 + n % 3],
            n % 2 = 0,
        4 + n % 3 * 4, n % 3 = 0, 12, CASE WHEN n % 4 = 0 THEN 'Ask before renewing.' END, company.owner_id,
        term.day - interval '1 year', company.updated_at
    FROM generate_series(0, 89) AS n
        JOIN business_records AS company ON company.id = company.tenant_id || '-customer-' || n
            AND company.record_type = 'customer',
        LATERAL (
            SELECT date_trunc('day', now() AT TIME ZONE 'UTC') + (n * 7 % 300 - 20) * interval '1 day' AS day
        ) AS term;

    INSERT INTO equipment (
        id, tenant_id, customer_id, serial_number, model_number, manufacturer, description, asset_tag,
            location_description,
        floor, install_date, ip_address, meter_type, is_color_capable, equipment_status, current_meter_black,
        current_meter_color, monthly_volume_black, warranty_expires_date, contract_id, service_contract_number,
        last_service_date, next_service_due_date, notes, created_by, created_at, updated_at
    )
    SELECT
        contract.customer_id || '-machine-' || n, contract.tenant_id, contract.customer_id,
        'SN' || substr(contract.contract_number, 3) || n, (ARRAY['IM C3000', 'MX-3071', 'bizhub C360i'])[n],
        (ARRAY['Ricoh', 'Sharp', 'Konica Minolta'])[n], (ARRAY['Front desk copier', 'Archive scanner',
            'Print room'])[n],
        'AT-' || substr(contract.contract_number, 3) || '-' || n, (ARRAY['Reception', 'Cellar', '2nd floor'])[n],
            n::text,
        contract.start_date - n * interval '200 days', '10.0.' || n || '.' || 10 + length(contract.title),
        (ARRAY['color', 'mono', 'color'])[n], n <> 2, CASE WHEN n = 3 THEN 'maintenance' ELSE 'active' END,
        12000 * n, CASE WHEN n <> 2 THEN 4000 * n END, 900 * n, contract.start_date + n * interval '300 days',
            contract.id,
        contract.contract_number, contract.start_date + interval '60 days', contract.start_date + interval '240 days',
        CASE WHEN n = 2 THEN 'Key at the desk.' END, contract.created_by, contract.created_at, contract.updated_at
    FROM contracts AS contract, generate_series(1, 3) AS n
    WHERE n <= 1 + length(contract.title) % 3;

    INSERT INTO meter_readings (
        id, tenant_id, equipment_id, contract_id, reading_date, bw_meter_reading, color_meter_reading,
        previous_black_meter, black_copies, reading_method, created_by, created_at
    )
    SELECT
        machine.id || '-reading-' || n, machine.tenant_id, machine.id, machine.contract_id, moment.day,
        machine.current_meter_black - n * 900, machine.current_meter_color - n * 300,
            machine.current_meter_black - n * 900 - 900,
        900, (ARRAY['manual', 'dca', 'email'])[n], machine.created_by, moment.day
    FROM equipment AS machine, generate_series(1, 3) AS n,
        LATERAL (SELECT date_trunc('day', now() AT TIME ZONE 'UTC') - n * interval '30 days' AS day) AS moment;

    INSERT INTO service_tickets (
        id, tenant_id, ticket_number, title, created_by, customer_id, equipment_id, description, priority, status,
            category,
        source, assigned_technician_id, scheduled_date, scheduled_time, estimated_duration, customer_address,
        customer_phone, required_skills, resolution_notes, parts_used, labor_hours, resolved_at, resolved_by,
            created_at, updated_at
    )
    SELECT
        machine.tenant_id || '-ticket-' || machine.place, machine.tenant_id, 'TKT-' || 5000 + machine.place,
        (ARRAY['Paper jam in tray 2', 'Streaks on copies', 'Cannot scan to mail', 'Replace fuser',
            'Noise when starting'])[1 + machine.place % 5],
        pg_temp.person(machine.tenant_id, 1 + machine.place % 3), machine.customer_id, machine.id,
            'Since this morning.',
        (ARRAY['medium', 'high', 'low', 'urgent', 'critical'])[1 + machine.place % 5], state.word,
        (ARRAY['hardware', 'quality', 'network'])[1 + machine.place % 3], (ARRAY['phone', 'mail', 'portal'])[1
            + machine.place % 3],
        CASE WHEN machine.place % 4 > 0 THEN pg_temp.person(machine.tenant_id, 1 + machine.place % 8) END,
        CASE WHEN machine.place % 3 > 0 THEN date_trunc('day', now() AT TIME ZONE 'UTC')
            + (machine.place % 12 - 3) * interval '1 day' + interval '10 hours' END,
        '10:00', 60, '1 Market Street', '+1 555 0100', ARRAY['copier'],
        CASE WHEN state.word IN ('resolved', 'closed') THEN 'Cleaned and tested.' END,
        CASE WHEN state.word = 'closed' THEN ARRAY['roller'] END, CASE WHEN state.word IN ('resolved', 'closed')
            THEN 1.25 END,
        CASE WHEN state.word IN ('resolved', 'closed') THEN moment.created + interval '26 hours' END,
        CASE WHEN state.word IN ('resolved', 'closed') THEN pg_temp.person(machine.tenant_id, 1
            + machine.place % 8) END,
        moment.created, moment.created + interval '1 hour'
    FROM (
            SELECT equipment.*, row_number() OVER (PARTITION BY tenant_id ORDER BY id) AS place FROM equipment
        ) AS machine,
        LATERAL (SELECT now() AT TIME ZONE 'UTC' - machine.place * interval '13 hours' AS created) AS moment,
        LATERAL (
            SELECT (ARRAY['open', 'in_progress', 'scheduled', 'resolved', 'waiting_parts', 'closed', 'on_hold'])[1
                + machine.place % 7] AS word
        ) AS state;

    INSERT INTO service_ticket_updates (id, tenant_id, ticket_id, updated_by, update_type, old_value, new_value,
        notes, created_at)
    SELECT ticket.id || '-update-' || n, ticket.tenant_id, ticket.id, ticket.created_by,
        (ARRAY['status_change', 'note', 'status_change'])[n], CASE WHEN n = 3 THEN 'open' END,
        (ARRAY['open', NULL, ticket.status])[n], (ARRAY['Created', 'Called the customer.', NULL])[n],
        ticket.created_at + (n - 1) * interval '20 minutes'
    FROM service_tickets AS ticket, generate_series(1, 3) AS n WHERE n < 3 OR ticket.status <> 'open';

    INSERT INTO invoices (
        id, tenant_id, invoice_number, created_by, customer_id, contract_id, invoice_date, due_date, invoice_type,
        invoice_status, status, payment_terms, tax_amount, sent_date, invoice_notes, created_at, updated_at
    )
    SELECT
        contract.id || '-invoice-' || n, contract.tenant_id, substr(contract.contract_number, 3) || '-' || n,
            contract.created_by,
        contract.customer_id, contract.id, moment.day, moment.day + interval '30 days', 'contract', state.word,
            state.word, 'Net 30',
        round(contract.monthly_base * 0.19, 2), CASE WHEN state.word <> 'draft' THEN moment.day
            + interval '9 hours' END,
        CASE WHEN n = 2 THEN 'Thank you!' END, moment.day, moment.day + interval '2 hours'
    FROM contracts AS contract, generate_series(0, 3) AS n,
        LATERAL (
            SELECT date_trunc('day', now() AT TIME ZONE 'UTC') - (n * 30
                + length(contract.title) % 10) * interval '1 day' AS day
        ) AS moment,
        LATERAL (SELECT CASE n WHEN 0 THEN 'draft' WHEN 1 THEN (ARRAY['sent', 'open', 'viewed'])[1
            + length(contract.title) % 3] WHEN 2 THEN (ARRAY['overdue', 'paid'])[1
            + length(contract.title) % 2] ELSE 'paid' END AS word) AS state;

    INSERT INTO invoice_line_items (id, tenant_id, invoice_id, description, quantity, unit_price, amount,
        line_total, tax_rate, created_at)
    SELECT invoice.id || '-line-1', invoice.tenant_id, invoice.id, 'Monthly service', 1, contract.monthly_base,
        contract.monthly_base,
        contract.monthly_base, 0.19, invoice.created_at
    FROM invoices AS invoice JOIN contracts AS contract ON contract.id = invoice.contract_id;

    UPDATE invoices SET
        subtotal_amount = contract.monthly_base, total_amount = contract.monthly_base + tax_amount,
        amount_paid = CASE WHEN invoice_status = 'paid' THEN contract.monthly_base + tax_amount ELSE 0 END,
        balance_due = CASE WHEN invoice_status = 'paid' THEN 0 ELSE contract.monthly_base + tax_amount END,
        paid_date = CASE WHEN invoice_status = 'paid' THEN invoice_date + interval '12 days' END
    FROM contracts AS contract WHERE contract.id = invoices.contract_id;
    """
