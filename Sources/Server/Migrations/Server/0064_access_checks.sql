-- Who may see and change what, kept beside the policies that decide it: entries as in access.json. `swiftlet serve
-- --check` runs them, so that no server is replaced by one whose database lets others in.

CREATE TABLE IF NOT EXISTS swiftlet.access_checks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry jsonb NOT NULL CHECK (jsonb_typeof(entry) = 'object'),
    created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE swiftlet.access_checks ENABLE ROW LEVEL SECURITY;
