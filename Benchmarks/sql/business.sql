-- 100 000 companies of the same 100 tenants, and as many people, machines, tickets, contracts, invoices, quotes and deals.
-- Every row refers to rows of its own tenant.
\set tenant '''00000000-0000-4000-8000-'' || lpad((1 + n % 100)::text, 12, ''0'')'

INSERT INTO business_records (
    id, tenant_id, created_by, company_name, record_type, status, primary_contact_name, primary_contact_email, created_at
)
SELECT 'b' || n, :tenant, 'u', 'Company ' || md5(n::text) || ' Ltd.', 'customer', 'active', 'Ada ' || n,
    'ada' || n || '@customer.example', timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO company_contacts (id, tenant_id, company_id, first_name, last_name, email, created_at)
SELECT 'c' || n, :tenant, 'b' || n, 'F' || md5('f' || n), 'L' || n, 'c' || n || '@customer.example',
    timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO contracts (id, tenant_id, contract_number, start_date, end_date, customer_id, monthly_base, created_at)
SELECT 'k' || n, :tenant, 'K' || n, timestamp '2025-09-01', timestamp '2027-09-01' + n % 400 * interval '1 day', 'b' || n,
    100, timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO equipment (
    id, tenant_id, customer_id, serial_number, model_number, manufacturer, install_date, created_at
)
SELECT 'e' || n, :tenant, 'b' || n, 'S' || md5('e' || n), 'M' || n % 50, 'Ricoh',
    timestamp '2025-09-01' + n * interval '61 seconds', timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO service_tickets (
    id, tenant_id, ticket_number, title, created_by, customer_id, equipment_id, description, created_at
)
SELECT 's' || n, :tenant, 'T' || n, 'Jam ' || md5('s' || n), 'u', 'b' || n, 'e' || n, 'Since this morning.',
    timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO invoices (id, tenant_id, invoice_number, created_by, customer_id, due_date, total_amount, created_at)
SELECT 'i' || n, :tenant, 'N' || n, 'u', 'b' || n, timestamp '2099-01-01', 119.5,
    timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO quotes (id, tenant_id, quote_number, title, created_by, customer_id, created_at)
SELECT 'q' || n, :tenant, 'Q' || n, 'Offer ' || md5('q' || n), 'u', 'b' || n,
    timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

INSERT INTO deal_stages (id, tenant_id, name)
SELECT 'g' || n, :tenant, 'new' FROM generate_series(1, 100) AS n;

INSERT INTO deals (id, tenant_id, title, owner_id, stage_id, created_by_id, customer_id, amount, created_at)
SELECT 'd' || n, :tenant, 'Deal ' || md5('d' || n), 'u', 'g' || CASE WHEN n % 100 = 0 THEN 100 ELSE n % 100 END, 'u',
    'b' || n, 1200, timestamp '2025-09-01' + n * interval '61 seconds'
FROM generate_series(1, 100000) AS n;

VACUUM (ANALYZE);
CHECKPOINT;
