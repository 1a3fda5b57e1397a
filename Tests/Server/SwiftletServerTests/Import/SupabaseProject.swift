import Foundation
import SwiftletPostgres
import SwiftletTesting

/// A database of a hosted Supabase project's shape, with an app in it, and the folder of its files.
struct SupabaseProject: Sendable {
    let url: String
    let files: String

    static let ownNote = "A note of Grace"

    init(in folder: String) throws {
        let accounts = try GoTrueDatabase.create(.newest)
        url = accounts.administratorURL
        files = "\(folder)/stub"
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.platform)
        try connection.execute(Self.app)
        for index in 0..<Self.fileCount {
            let name = "\(GoTrueDatabase.userID)/picture \(index).txt"
            let version = "0f4b9a52-2f5c-4a5e-9c57-\(String(format: "%012d", index))"
            let place = "\(files)/pictures/\(name)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data(Self.content(index).utf8).write(to: URL(fileURLWithPath: "\(place)/\(version)"))
            try connection.query(
                """
                INSERT INTO storage.objects (bucket_id, name, owner, owner_id, version, metadata, created_at, updated_at)
                VALUES ('pictures', $1, $2::uuid, $2, $3, jsonb_build_object('size', $4::integer, 'mimetype', 'text/plain',
                    'eTag', '"abc"', 'cacheControl', 'max-age=3600'), '2024-01-01', '2024-01-02')
                """,
                [name, GoTrueDatabase.userID, version, String(Self.content(index).utf8.count)]
            )
        }
    }

    static let fileCount = 12

    static func content(_ index: Int) -> String { "the content of picture \(index)" }

    func execute(_ sql: String) throws { try BlockingConnection.connect(to: url).execute(sql) }

    /// What Supabase's own services have made, as far as apps lean on it.
    private static let platform = """
        DO $$
        DECLARE
            role text;
        BEGIN
            PERFORM pg_advisory_xact_lock(20221100);
            FOREACH role IN ARRAY ARRAY['anon', 'authenticated', 'service_role', 'supabase_storage_admin', 'dashboard_user',
                'supabase_auth_admin', 'reporter'] LOOP
                BEGIN
                    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
                    END IF;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
                END;
            END LOOP;
        END $$;
        CREATE SCHEMA extensions;
        CREATE EXTENSION "uuid-ossp" SCHEMA extensions;
        CREATE EXTENSION pgcrypto SCHEMA extensions;
        CREATE EXTENSION citext SCHEMA extensions;
        GRANT USAGE ON SCHEMA extensions, auth TO anon, authenticated, service_role;
        CREATE FUNCTION auth.tenant() RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'one'::text $$;

        DROP SCHEMA storage, swiftlet;
        CREATE SCHEMA storage AUTHORIZATION supabase_storage_admin;
        CREATE TYPE storage.buckettype AS ENUM ('STANDARD', 'ANALYTICS', 'VECTOR');
        CREATE TABLE storage.buckets (
            id text PRIMARY KEY, name text NOT NULL UNIQUE, owner uuid, created_at timestamptz DEFAULT now(),
            updated_at timestamptz DEFAULT now(), public boolean DEFAULT false, avif_autodetection boolean DEFAULT false,
            file_size_limit bigint, allowed_mime_types text[], owner_id text,
            type storage.buckettype NOT NULL DEFAULT 'STANDARD', versioning_status text DEFAULT 'DISABLED'
        );
        CREATE TABLE storage.objects (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(), bucket_id text REFERENCES storage.buckets, name text, owner uuid,
            created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(),
            last_accessed_at timestamptz DEFAULT now(), metadata jsonb,
            path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/')) STORED, version text, owner_id text,
            user_metadata jsonb, level integer, UNIQUE (bucket_id, name)
        );
        ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;
        CREATE FUNCTION storage.foldername(name text) RETURNS text[] LANGUAGE sql IMMUTABLE AS
            $$ SELECT (string_to_array(name, '/'))[1:array_length(string_to_array(name, '/'), 1) - 1] $$;

        CREATE SCHEMA realtime;
        CREATE TABLE realtime.messages (topic text, extension text, payload jsonb);
        CREATE SCHEMA vault;
        CREATE TABLE vault.secrets (id uuid DEFAULT gen_random_uuid(), name text, secret text);
        INSERT INTO vault.secrets (name, secret) VALUES ('stripe', 'sk_live');
        CREATE SCHEMA cron;
        CREATE TABLE cron.job (jobid bigint, jobname text, schedule text, command text);
        INSERT INTO cron.job VALUES (1, 'nightly', '0 3 * * *', 'SELECT public.clean()');
        CREATE SCHEMA net;
        CREATE FUNCTION net.http_post(url text, body jsonb) RETURNS bigint LANGUAGE sql AS $$ SELECT 1::bigint $$;
        CREATE SCHEMA graphql;
        CREATE SCHEMA graphql_public;
        CREATE SCHEMA supabase_functions;
        CREATE FUNCTION supabase_functions.http_request() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RETURN NULL; END $$;
        CREATE SCHEMA supabase_migrations;
        CREATE TABLE supabase_migrations.schema_migrations (version text PRIMARY KEY, statements text[]);
        CREATE PUBLICATION supabase_realtime;
        """

    private static let app = """
        GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
        CREATE TYPE public.mood AS ENUM ('good', 'bad');
        CREATE TABLE public.notes (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            owner uuid NOT NULL DEFAULT auth.uid() REFERENCES auth.users ON DELETE CASCADE,
            body text NOT NULL, tag extensions.citext, mood public.mood DEFAULT 'good', key uuid DEFAULT extensions.uuid_generate_v4(),
            words tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED, "Odd ""name" numeric
        );
        COMMENT ON TABLE public.notes IS 'Notes of people';
        ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;
        CREATE POLICY "own notes" ON public.notes TO authenticated USING (owner = auth.uid() AND auth.tenant() = 'one');
        CREATE INDEX ON public.notes USING gin (words);
        INSERT INTO public.notes (owner, body, tag, "Odd ""name") VALUES
            ('\(GoTrueDatabase.userID)', '\(ownNote)', 'Red', 1.50),
            ('\(GoTrueDatabase.appleUserID)', E'tab\\there, line\\nthere, \\\\. and ünï', 'red', NULL);
        CREATE TABLE public.comments (
            id serial PRIMARY KEY, note bigint REFERENCES public.notes, at timestamptz DEFAULT now(), data jsonb, raw bytea,
            score double precision
        ) ;
        INSERT INTO public.comments (note, data, raw, score)
            SELECT 1, jsonb_build_object('n', n), decode(md5(n::text), 'hex'), n / 7.0 FROM generate_series(1, 5000) AS n;
        CREATE TABLE public.events (at date NOT NULL, what text) PARTITION BY RANGE (at);
        CREATE TABLE public.events_2024 PARTITION OF public.events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        INSERT INTO public.events VALUES ('2024-05-05', 'a party');
        CREATE VIEW public.note_counts WITH (security_invoker = true) AS SELECT owner, count(*) FROM public.notes GROUP BY 1;
        CREATE MATERIALIZED VIEW public.totals AS SELECT count(*) AS comments FROM public.comments;
        CREATE FUNCTION public.shout(word text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT upper(word) || '!' $$;
        CREATE FUNCTION public.secret() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT 'hidden'::text $$;
        REVOKE ALL ON FUNCTION public.secret() FROM PUBLIC, anon, authenticated;
        CREATE FUNCTION public.clean() RETURNS void LANGUAGE plpgsql AS
            $$ BEGIN PERFORM net.http_post('https://example.com', '{}'); END $$;
        CREATE TABLE public.profiles (id uuid PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE, since timestamptz);
        INSERT INTO public.profiles SELECT id, created_at FROM auth.users;
        ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;
        GRANT SELECT (id) ON public.profiles TO reporter;
        GRANT SELECT ON public.profiles TO dashboard_user;
        CREATE FUNCTION public.handle_new_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
            $$ BEGIN INSERT INTO public.profiles VALUES (NEW.id, now()); RETURN NEW; END $$;
        CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users
            FOR EACH ROW EXECUTE FUNCTION public.handle_new_user();
        CREATE TRIGGER switched_off AFTER INSERT ON auth.users
            FOR EACH ROW EXECUTE FUNCTION public.handle_new_user();
        ALTER TABLE auth.users DISABLE TRIGGER switched_off;
        CREATE TRIGGER notify AFTER INSERT ON public.notes
            FOR EACH ROW EXECUTE FUNCTION supabase_functions.http_request('https://example.com', 'POST');
        CREATE TABLE public.user_roles (id uuid REFERENCES auth.users, role text);
        ALTER TABLE public.user_roles ENABLE ROW LEVEL SECURITY;
        CREATE POLICY "Allow auth admin" ON public.user_roles FOR SELECT TO supabase_auth_admin USING (true);
        COMMENT ON POLICY "Allow auth admin" ON public.user_roles IS 'for the hook';
        CREATE POLICY shared ON public.user_roles FOR SELECT TO dashboard_user, authenticated USING (id = auth.uid());
        CREATE SCHEMA "Odd schema";
        CREATE TABLE "Odd schema"."Odd table" (id integer PRIMARY KEY);
        INSERT INTO "Odd schema"."Odd table" VALUES (7);
        ALTER PUBLICATION supabase_realtime ADD TABLE public.notes;
        INSERT INTO storage.buckets (id, name, public, file_size_limit) VALUES ('pictures', 'pictures', false, 1000000);
        CREATE POLICY called ON storage.objects FOR SELECT USING (net.http_post('https://example.com', '{}') = 1);
        CREATE POLICY "own folder" ON storage.objects FOR SELECT TO authenticated
            USING (bucket_id = 'pictures' AND (storage.foldername(name))[1] = auth.uid()::text);
        """
}
