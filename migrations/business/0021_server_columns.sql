-- What only the server writes is granted to nobody: who made a row and when, and what follows from other columns. Rows
-- that come by `/rest/v1` get it from defaults, from the caller's token. Tables that were there before stay as they are.

-- Grants INSERT and UPDATE of all columns but the sealed ones; neither tenant nor id of a row can be changed.
CREATE OR REPLACE FUNCTION swiftlet_seal(target regclass, VARIADIC sealed text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    shut text[] := sealed || ARRAY['created_by', 'created_by_id', 'created_at', 'updated_at'];
    insertable text;
    changeable text;
    role text;
    author text;
BEGIN
    IF swiftlet_is_adopted(target) THEN
        RETURN;
    END IF;
    SELECT string_agg(quote_ident(attname), ', '),
        string_agg(quote_ident(attname), ', ') FILTER (WHERE attname NOT IN ('id', 'tenant_id'))
    INTO insertable, changeable
    FROM pg_attribute WHERE attrelid = target AND attnum > 0 AND NOT attisdropped AND attname <> ALL (shut);
    -- Where a database gives every new table to everybody (ALTER DEFAULT PRIVILEGES), to anon as well.
    FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('REVOKE INSERT, UPDATE, TRUNCATE, TRIGGER, REFERENCES ON %s FROM %I', target, role);
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticated') THEN
        EXECUTE format('GRANT INSERT (%s), UPDATE (%s) ON %s TO authenticated', insertable, changeable, target);
    END IF;

    FOR author IN
        SELECT attname FROM pg_attribute
        WHERE attrelid = target AND NOT attisdropped AND NOT atthasdef AND attname = ANY (shut)
            AND attname IN ('created_by', 'created_by_id', 'user_id', 'updated_by') AND atttypid IN ('varchar'::regtype, 'text'::regtype)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT swiftlet_user_id()', target, author);
    END LOOP;
    IF EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = target AND attname = 'tenant_id' AND NOT atthasdef
            AND atttypid IN ('varchar'::regtype, 'text'::regtype)
    ) THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN tenant_id SET DEFAULT swiftlet_tenant_id()', target);
    END IF;
    IF EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = target AND attname = 'updated_at' AND atttypid = 'timestamp'::regtype
    ) THEN
        EXECUTE format('DROP TRIGGER IF EXISTS swiftlet_touch ON %s', target);
        EXECUTE format(
            'CREATE TRIGGER swiftlet_touch BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION swiftlet_touch_utc()', target
        );
    END IF;
END $$;

-- The time of the change in UTC, whatever the time zone of the caller, where the statement sets none.
CREATE OR REPLACE FUNCTION swiftlet_touch_utc() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at THEN
        NEW.updated_at := now() AT TIME ZONE 'UTC';
    END IF;
    RETURN NEW;
END $$;

REVOKE ALL ON FUNCTION swiftlet_seal(regclass, text[]), swiftlet_touch_utc() FROM PUBLIC;

SELECT swiftlet_seal('tasks', 'completed_at', 'time_tracked', 'comment_count', 'attachment_count');
SELECT swiftlet_seal('task_comments', 'user_id');
SELECT swiftlet_seal('time_entries', 'user_id');
SELECT swiftlet_seal('business_records', 'customer_since', 'converted_by');
SELECT swiftlet_seal('business_record_activities');
SELECT swiftlet_seal('company_contacts');
SELECT swiftlet_seal('deal_stages');
SELECT swiftlet_seal('deals', 'actual_close_date');
SELECT swiftlet_seal('equipment');
SELECT swiftlet_seal('meter_readings');
SELECT swiftlet_seal('service_tickets', 'resolved_at', 'resolved_by', 'closed_at', 'first_response_at');
SELECT swiftlet_seal('service_ticket_updates', 'updated_by', 'old_value', 'new_value');
SELECT swiftlet_seal('contracts', 'renewed_from_id');
SELECT swiftlet_seal('quotes', 'sent_date', 'accepted_date');
SELECT swiftlet_seal('quote_line_items', 'total_price');
SELECT swiftlet_seal('proposal_templates');
SELECT swiftlet_seal('invoices', 'balance_due', 'paid_date', 'sent_date', 'issued_at');
SELECT swiftlet_seal('invoice_line_items', 'amount', 'line_total');
SELECT swiftlet_seal(
    'proposals', 'sent_at', 'viewed_at', 'accepted_at', 'rejected_at', 'open_count', 'last_opened_at', 'deal_id',
    'contract_id'
);
SELECT swiftlet_seal('proposal_line_items', 'total_price');

-- A notification is read, or not; the rest of it is the server's. Attachments are the server's altogether: each row
-- stands for a file, and whoever writes its key reads the file.
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['anon', 'authenticated'] LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role);
        IF NOT swiftlet_is_adopted('user_notifications') THEN
            EXECUTE format('REVOKE INSERT, UPDATE, TRUNCATE, TRIGGER, REFERENCES ON user_notifications FROM %I', role);
        END IF;
        IF NOT swiftlet_is_adopted('service_ticket_attachments') THEN
            EXECUTE format('REVOKE ALL ON service_ticket_attachments FROM %I', role);
        END IF;
    END LOOP;
END $$;
SELECT swiftlet_grant('UPDATE (read, read_at)', 'user_notifications', 'authenticated');
SELECT swiftlet_grant(
    'SELECT (id, tenant_id, ticket_id, file_name, content_type, size, uploaded_by, created_at)',
    'service_ticket_attachments', 'authenticated'
);

-- Who starts out sees their own contacts only, as the function /contacts has it.
DO $$
BEGIN
    IF swiftlet_is_adopted('company_contacts') THEN
        RETURN;
    END IF;
    DROP POLICY IF EXISTS swiftlet_level ON company_contacts;
    CREATE POLICY swiftlet_level ON company_contacts AS RESTRICTIVE
        USING ((SELECT swiftlet_role_level()) >= 2 OR owner_id::text = (SELECT swiftlet_user_id()))
        WITH CHECK ((SELECT swiftlet_role_level()) >= 2 OR owner_id::text = (SELECT swiftlet_user_id()));
END $$;

-- Comments and times of a task belong to its tenant: the key holds both. Where old rows do not, the old key stays.
DO $$
DECLARE
    child regclass;
    old name;
BEGIN
    BEGIN
        CREATE UNIQUE INDEX IF NOT EXISTS tasks_tenant_id ON tasks (tenant_id, id);
    EXCEPTION
        WHEN unique_violation THEN RETURN;
    END;
    FOREACH child IN ARRAY ARRAY['task_comments'::regclass, 'time_entries'::regclass] LOOP
        CONTINUE WHEN swiftlet_is_adopted(child);
        PERFORM swiftlet_refer(child, 'task_id', 'tasks', 'CASCADE');
        CONTINUE WHEN NOT EXISTS (
            SELECT FROM pg_constraint WHERE conrelid = child AND conname = child::text || '_task_id_tenant_fkey'
        );
        FOR old IN
            SELECT conname FROM pg_constraint
            WHERE conrelid = child AND contype = 'f' AND confrelid = 'tasks'::regclass AND cardinality(conkey) = 1
        LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', child, old);
        END LOOP;
    END LOOP;
END $$;
