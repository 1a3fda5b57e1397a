-- Push messages, check-ins, alerts and responders. These belong to a user, whatever their tenant: ids are the text in
-- the claim `sub`, of our own accounts as well as of other issuers'.
--
-- All writes go through the functions, which keep the jobs behind the rows in step: clients may only read their own.

CREATE TABLE push_tokens (
    token text PRIMARY KEY,
    user_id text NOT NULL,
    platform text NOT NULL CHECK (platform IN ('ios', 'android')),
    environment text NOT NULL DEFAULT 'production' CHECK (environment IN ('production', 'sandbox')),
    app text NOT NULL,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX push_tokens_user ON push_tokens (user_id);

CREATE TABLE push_messages (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- message, reminder or alarm; only messages count for the sender's limit.
    kind text NOT NULL DEFAULT 'message',
    user_id text NOT NULL,
    recipient_id text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('scheduled', 'queued', 'sent', 'failed', 'undeliverable', 'cancelled')),
    deliver_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    sent_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    last_error text
);
CREATE INDEX push_messages_sender ON push_messages (user_id, created_at);
CREATE INDEX push_messages_recipient ON push_messages (recipient_id, created_at);
-- For forgetting them.
CREATE INDEX push_messages_due ON push_messages (deliver_at);

CREATE TABLE check_ins (
    user_id text PRIMARY KEY,
    last_check_in timestamptz NOT NULL,
    next_check_in timestamptz NOT NULL,
    interval_seconds double precision NOT NULL,
    -- Grows with each check-in: a job that was made for an older one does nothing.
    number bigint NOT NULL DEFAULT 1,
    reminded_at timestamptz,
    -- When the responders were told that this one was missed.
    alarmed_at timestamptz
);

CREATE TABLE alerts (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id text NOT NULL,
    activated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz
);
CREATE UNIQUE INDEX alerts_active ON alerts (user_id) WHERE ended_at IS NULL;

CREATE TABLE responders (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id text NOT NULL,
    responder_id text NOT NULL CHECK (responder_id <> user_id),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    accepted_at timestamptz,
    UNIQUE (user_id, responder_id)
);
CREATE INDEX responders_responder ON responders (responder_id);

-- Whether there is such a person: an account, a user of a tenant, or somebody with a device. Tables that other servers
-- made may be missing or keep ids of another type.
CREATE FUNCTION swiftlet_person_exists(person text) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found boolean := EXISTS (SELECT FROM push_tokens WHERE user_id = person);
BEGIN
    IF NOT found AND to_regclass('public.users') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM public.users WHERE id::text = $1)' INTO found USING person;
    END IF;
    IF NOT found AND to_regclass('auth.users') IS NOT NULL
        AND person ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
    THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM auth.users WHERE id = $1::uuid)' INTO found USING person;
    END IF;
    RETURN found;
END $$;

-- Whether one person may write to another: oneself, somebody of the same tenant, a responder either way.
CREATE FUNCTION swiftlet_is_linked(sender text, tenant text, recipient text) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found boolean := sender = recipient OR EXISTS (
        SELECT FROM responders
        WHERE accepted_at IS NOT NULL AND (user_id, responder_id) IN ((sender, recipient), (recipient, sender))
    );
BEGIN
    IF NOT found AND tenant IS NOT NULL AND to_regclass('public.users') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM public.users WHERE id::text = $1 AND tenant_id::text = $2)'
            INTO found USING recipient, tenant;
    END IF;
    RETURN found;
END $$;

REVOKE ALL ON FUNCTION swiftlet_person_exists(text), swiftlet_is_linked(text, text, text) FROM PUBLIC;

SELECT swiftlet_protect('push_tokens', 'user_id = (SELECT swiftlet_user_id())');
SELECT swiftlet_protect(
    'push_messages',
    'user_id = (SELECT swiftlet_user_id()) OR (recipient_id = (SELECT swiftlet_user_id()) AND status = ''sent'')'
);
SELECT swiftlet_protect('check_ins', 'user_id = (SELECT swiftlet_user_id())');
SELECT swiftlet_protect('alerts', 'user_id = (SELECT swiftlet_user_id())');
SELECT swiftlet_protect(
    'responders',
    'user_id = (SELECT swiftlet_user_id()) OR responder_id = (SELECT swiftlet_user_id())'
);
DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY['push_tokens', 'push_messages', 'check_ins', 'alerts', 'responders'] LOOP
        PERFORM swiftlet_grant('SELECT', target::regclass, 'authenticated');
        PERFORM swiftlet_grant('ALL', target::regclass, 'service_role');
    END LOOP;
END $$;
