/// A schema with every name and type that trips up generators.
package enum OddSchema {
    package static let script = #"""
        CREATE SCHEMA odd;
        CREATE TYPE odd.mood AS ENUM ('happy', 'class', '2 late', 'unknown', 'ALL CAPS', 'all_caps', 'q"uo\te', '');
        CREATE TYPE odd."String" AS ENUM ('a');
        CREATE TYPE odd.address AS (street text, "house number" int, home odd.mood, day date);
        CREATE DOMAIN odd.email AS varchar(100) CHECK (VALUE LIKE '%@%');
        CREATE TABLE odd.people (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL);
        COMMENT ON TABLE odd.people IS E'People.\n\nOf all kinds.';
        CREATE TABLE odd."2 Fast" (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            "class" text, "self" int, "Type" text, "user_id" uuid REFERENCES odd.people, "userId" uuid UNIQUE REFERENCES odd.people,
            "quote""d" text, "back\slash" text, "1st" int, "URL" text, init boolean, hash text, "hashValue" int,
            "größe" numeric, "!!!" text, "relationships" text, "stringValue" text,
            address odd.address, addresses odd.address[], moods odd.mood[], mood odd.mood NOT NULL DEFAULT 'happy',
            word odd."String", state text CHECK (state IN ('open', 'done''s', 'switch')),
            kind varchar(10) NOT NULL DEFAULT 'a' CHECK (kind = ANY (ARRAY['a', 'b'])),
            at timestamptz NOT NULL DEFAULT now(), naive timestamp, day date, n numeric(12,2), j jsonb, a int[],
            f float4, d float8, t time, iv interval, b bytea, s smallint,
            total int GENERATED ALWAYS AS (s * 2) STORED, email odd.email
        );
        CREATE TABLE odd.nothing ();
        CREATE VIEW odd.names AS SELECT id, name FROM odd.people;
        CREATE FUNCTION odd.add(a int, b int DEFAULT 1) RETURNS int LANGUAGE sql AS 'SELECT a + b';
        CREATE FUNCTION odd.everyone() RETURNS SETOF odd.people LANGUAGE sql AS 'SELECT * FROM odd.people';
        CREATE FUNCTION odd.pair(OUT x int, OUT y odd.mood) LANGUAGE sql AS $$SELECT 1, 'happy'::odd.mood$$;
        INSERT INTO odd.people (id, name) VALUES ('7c9e6679-7425-40de-944b-e07fc1f90ae7', 'Ada');
        INSERT INTO odd."2 Fast" ("class", "user_id", "größe", address, addresses, moods, word, state, at, naive, day, n, j, a, f, d,
            t, iv, b, s, email, "quote""d")
        VALUES ('x', '7c9e6679-7425-40de-944b-e07fc1f90ae7', 12345678901234567890.123456789, ('Elm', 5, 'class', '2024-02-29'),
            ARRAY[('Oak', NULL, 'happy', NULL)::odd.address], '{happy,"2 late"}', 'a', 'done''s',
            '2026-01-31 12:30:00.123456+01', '2026-01-31 12:30:00', '2026-01-31', 19.90, '{"a": [1, null, "x", true, 1.5]}',
            '{1,2}', 1.5, 2.25, '12:30', '1 day', '\x00ff', 3, 'a@b', 'q'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            '1969-12-31 23:59:59.5+00', NULL, NULL, NULL, 'null', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        """#
}
