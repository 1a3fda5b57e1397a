-- A small studio: clients with projects, steps with labels, and notes of users under row policies.

CREATE TABLE clients (id int PRIMARY KEY, name text NOT NULL UNIQUE, tags text[], meta jsonb);
CREATE TABLE projects (id int PRIMARY KEY, name text NOT NULL, client_id int REFERENCES clients (id),
    budget numeric(10, 2), due date, created timestamptz NOT NULL DEFAULT '2025-03-15 17:44:35.123456+00');
CREATE TABLE labels (id int PRIMARY KEY, word text NOT NULL);
CREATE TABLE steps (id serial PRIMARY KEY, title text NOT NULL CHECK (title <> ''), project_id int REFERENCES projects (id),
    parent_id int REFERENCES steps (id), state text NOT NULL DEFAULT 'open', words tsvector
        GENERATED ALWAYS AS (to_tsvector('english', title)) STORED);
CREATE TABLE step_labels (step_id int REFERENCES steps (id) ON DELETE CASCADE, label_id int REFERENCES labels (id),
    PRIMARY KEY (step_id, label_id));
CREATE TABLE addresses (id int PRIMARY KEY, street text);
CREATE TABLE orders (id int PRIMARY KEY, billing_id int CONSTRAINT billing REFERENCES addresses (id),
    shipping_id int CONSTRAINT shipping REFERENCES addresses (id));
CREATE TABLE "odd ""names" ("a column" int PRIMARY KEY, "select" text, "Grüße, Welt" text);
CREATE VIEW project_overview AS SELECT p.id, p.name AS title, p.client_id FROM projects p;
CREATE FUNCTION add(a int, b int DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE FUNCTION projects_of(client int) RETURNS SETOF projects LANGUAGE sql STABLE
    AS 'SELECT * FROM projects WHERE client_id = client ORDER BY id';
CREATE FUNCTION forget() RETURNS void LANGUAGE plpgsql AS 'BEGIN NULL; END';
CREATE FUNCTION echo(json) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION teapot() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    PERFORM set_config('response.status', '418', true);
    PERFORM set_config('response.headers', '[{"X-Tea": "green"}]', true);
    RETURN 'short and stout'; END $$;
CREATE FUNCTION forgetful() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
    PERFORM set_config('response.status', '418', false);
    PERFORM set_config('response.headers', '[{"Set-Cookie": "session=ada"}]', false);
    RETURN 1; END $$;
CREATE FUNCTION refuse(state text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'no' USING ERRCODE = state, DETAIL = 'because', HINT = 'ask nicely'; END $$;
CREATE FUNCTION shout(p projects) RETURNS text LANGUAGE sql STABLE AS 'SELECT upper(p.name)';
CREATE FUNCTION who() RETURNS json LANGUAGE sql STABLE AS $$ SELECT json_build_object('role', current_user,
    'sub', current_setting('request.jwt.claims', true)::json ->> 'sub',
    'method', current_setting('request.method', true), 'path', current_setting('request.path', true),
    'agent', current_setting('request.headers', true)::json ->> 'user-agent') $$;
CREATE TABLE notes (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), owner uuid NOT NULL DEFAULT auth.uid(), text text NOT NULL,
    deleted_at timestamptz);
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON notes USING (owner = auth.uid()) WITH CHECK (owner = auth.uid());
GRANT ALL ON ALL TABLES IN SCHEMA public TO service_role;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO service_role;
GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO authenticated;
GRANT SELECT ON clients TO anon, authenticated;
INSERT INTO clients VALUES (1, 'Ärzte "Nord"', '{a,b}', '{"level": 3, "place": {"city": "Kiel"}}'), (2, 'Bakery', NULL, NULL);
INSERT INTO projects VALUES (1, 'Site', 1, 1200.50, '2025-05-01'), (2, 'Shop', 1, NULL, NULL), (3, 'Oven', 2, 10, NULL),
    (4, 'Alone', NULL, NULL, NULL);
INSERT INTO steps (title, project_id, parent_id) VALUES ('Draw the plans', 1, NULL), ('Build walls', 1, 1), ('Sell', 2, NULL);
INSERT INTO labels VALUES (1, 'urgent'), (2, 'quiet');
INSERT INTO step_labels VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO addresses VALUES (1, 'Low'), (2, 'High');
INSERT INTO orders VALUES (1, 1, 2);
INSERT INTO "odd ""names" VALUES (1, 'x', 'y');
