-- Sign-ins that have been sent to a provider and have not come back. The id is the `state` of OAuth (RFC 6749 §10.12):
-- random, taken out when it is used, and old after five minutes. Not in auth.flow_state, whose columns for it differ
-- between versions of GoTrue.

CREATE TABLE IF NOT EXISTS swiftlet.provider_redirects (
    id uuid PRIMARY KEY,
    provider text NOT NULL,
    -- Where the browser goes in the end; NULL for SITE_URL.
    redirect text,
    code_challenge text,
    code_challenge_method text,
    -- The account that the identity is to be linked to; NULL for a sign-in.
    linked_user_id uuid,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS provider_redirects_created_at ON swiftlet.provider_redirects (created_at);

-- No policy and no grant: only the owner reads it.
ALTER TABLE swiftlet.provider_redirects ENABLE ROW LEVEL SECURITY;
