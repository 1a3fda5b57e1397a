// Companies of every kind, the people there, and what was done with them.

let demoCompanies = """
    INSERT INTO business_records (
        id, tenant_id, created_by, record_type, status, company_name, industry, company_size, employee_count,
        annual_revenue, customer_rating, primary_contact_name, primary_contact_email, primary_contact_phone, phone,
        website, address_line1, city, state, postal_code, billing_city, billing_zip_code, source, interest_level,
        estimated_deal_value, probability, sales_stage, owner_id, assigned_sales_rep, territory, lead_score, priority,
        customer_number, customer_since, credit_limit, payment_terms, customer_tier, last_contact_date,
        next_follow_up_date, notes, created_at, updated_at
    )
    SELECT
        tenant.id || '-customer-' || n, tenant.id, pg_temp.person(tenant.id, 1 + n % 3), kind.word,
        CASE kind.word WHEN 'lead' THEN (ARRAY['new', 'contacted', 'qualified'])[1 + n % 3]
            WHEN 'former_customer' THEN 'inactive' WHEN 'customer' THEN 'active' ELSE 'qualified' END,
        (ARRAY['Hafenkontor', 'Blue Harbor', 'Žižka', 'Maple & Sons', 'Nordwind', 'Atelier Réel', 'Kowalski',
            'Sunrise',
               'Bright Minds', 'Old Mill'])[1 + (n + length(tenant.id)) % 10] || ' '
            || (ARRAY['Print GmbH', 'Logistics', 'Law Office', 'Clinic', 'School', 'Foods Ltd.'])[1 + n % 6]
            || CASE WHEN n >= 30 THEN ' ' || n / 30 + 1 ELSE '' END,
        (ARRAY['Legal', 'Logistics', 'Health', 'Education', 'Retail'])[1 + n % 5],
        (ARRAY['1-10', '11-50', '51-200', '201-500'])[1 + n % 4], 5 + n * 7, 100000 + n * 25000.50,
        (ARRAY['A', 'B', 'C'])[1 + n % 3], person.name, lower(split_part(person.name, ' ', 1)) || n
            || '@customer.example',
        '+1 555 0' || 100 + n, '+1 555 1' || 100 + n, 'https://customer-' || n || '.example',
        n + 1 || ' Market Street', place.city, place.state, (10000 + n * 37)::text, place.city, (10000
            + n * 37)::text,
        (ARRAY['website', 'referral', 'cold_call', 'trade_show', 'partner'])[1 + n % 5],
        (ARRAY['hot', 'warm', 'cold'])[1 + n % 3], 1000 + n * 450.75, 10 + n % 9 * 10,
        (ARRAY['new', 'contacted', 'qualified', 'proposal'])[1 + n % 4], pg_temp.person(tenant.id, 1 + n % 8),
        pg_temp.person(tenant.id, 1 + n % 8), (ARRAY['North', 'South', 'West'])[1 + n % 3], n * 3 % 100,
        (ARRAY['medium', 'low', 'high'])[1 + n % 3],
        CASE WHEN kind.word IN ('customer', 'former_customer') THEN 'K-' || 10000 + n END,
        CASE WHEN kind.word IN ('customer', 'former_customer') THEN moment.day - (n + 3) * interval '20 days' END,
        CASE WHEN kind.word = 'customer' THEN 5000 + n * 250 END, (ARRAY['Net 30', 'Net 14'])[1 + n % 2],
        (ARRAY['gold', 'silver', 'bronze'])[1 + n % 3], moment.day - n % 40 * interval '1 day',
        moment.day + (n % 20 - 4) * interval '1 day 2 hours', CASE WHEN n % 4 = 0 THEN 'Prefers mail to calls.' END,
        CASE WHEN n IN (2, 4, 5) THEN now() AT TIME ZONE 'UTC'
            ELSE moment.day - n * interval '19 hours' + interval '0.123456 seconds' END, moment.day - n * interval '5 hours'
    FROM tenants AS tenant, generate_series(0, 89) AS n,
        LATERAL (SELECT date_trunc('hour', now() AT TIME ZONE 'UTC') AS day) AS moment,
        LATERAL (
            SELECT (ARRAY['customer', 'customer', 'lead', 'customer', 'prospect', 'lead', 'customer',
                'former_customer',
                          'lead', 'customer'])[1 + n % 10] AS word
        ) AS kind,
        LATERAL (
            SELECT (ARRAY['Grace Okafor', 'Tomáš Novák', 'Marie Curie', 'Aiko Sato', 'Jürgen Groß',
                'Zoë O''Hara'])[1 + n % 6]
                AS name
        ) AS person,
        LATERAL (
            SELECT (ARRAY['Hamburg', 'Boston', 'Praha', 'Austin'])[1 + n % 4] AS city,
                (ARRAY['HH', 'MA', NULL, 'TX'])[1 + n % 4] AS state
        ) AS place;

    INSERT INTO company_contacts (
        id, tenant_id, company_id, first_name, last_name, title, department, phone, mobile, email, contact_roles,
        is_primary_contact, owner_id, mailing_city, created_at, updated_at
    )
    SELECT
        company.id || '-contact-' || n, company.tenant_id, company.id,
        (ARRAY['Grace', 'Tomáš', 'Aiko', 'Zoë'])[1 + (length(company.company_name) + n) % 4],
        (ARRAY['Okafor', 'Novák', 'Sato', 'O''Hara', 'Groß'])[1 + (length(company.company_name) * n) % 5],
        (ARRAY['Office Manager', 'CFO', 'IT'])[n], (ARRAY['Office', 'Finance', 'IT'])[n], company.phone,
        '+1 555 2' || 100 + n, 'contact' || n || '@' || replace(company.website, 'https://', ''),
        (ARRAY['primary', 'billing', 'technical'])[n], n = 1, company.owner_id, company.city,
        company.created_at + n * interval '1 hour', company.updated_at
    FROM business_records AS company, generate_series(1, 3) AS n
    WHERE n = 1 OR company.record_type = 'customer';

    INSERT INTO business_record_activities (
        id, tenant_id, business_record_id, activity_type, subject, description, created_by, call_duration,
            call_outcome,
        scheduled_date, completed_date, created_at, updated_at
    )
    SELECT
        company.id || '-activity-' || n, company.tenant_id, company.id,
        (ARRAY['call', 'email', 'meeting', 'note_added'])[n],
        (ARRAY['Called about the lease', 'Sent the brochure', 'Meeting on site', 'Note'])[n] || ': '
            || company.company_name,
        CASE WHEN n % 2 = 0 THEN 'They will decide next month.' END, company.owner_id,
        CASE WHEN n = 1 THEN 12 END, CASE WHEN n = 1 THEN 'reached' END,
        CASE WHEN n = 3 THEN date_trunc('day', now() AT TIME ZONE 'UTC')
            + (company.lead_score % 5) * interval '1 day 11 hours' END,
        CASE WHEN n <> 3 THEN company.created_at + n * interval '1 day' END,
        least(company.created_at + n * interval '1 day', now() AT TIME ZONE 'UTC'), company.updated_at
    FROM business_records AS company, generate_series(1, 4) AS n;
    """
