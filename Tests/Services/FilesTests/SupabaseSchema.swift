import SwiftletPostgres
import SwiftletTesting

@testable import SwiftletFiles

/// A database as Supabase's own storage has left it: its tables with the newest columns, its functions and triggers, and
/// an app's policies, functions and triggers on them.
enum SupabaseSchema {
    static let object = "picture 1.txt"
    static let version = "0f4b9a52-2f5c-4a5e-9c57-1b7f3a1d0c11"

    /// Without what this server adds: see ``migrate(_:)``.
    static func create() throws -> String {
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute("DROP SCHEMA storage CASCADE; \(platform) \(app)")
        return url
    }

    static func migrate(_ url: String) throws {
        let connection = try BlockingConnection.connect(to: url)
        for (_, sql) in FilesMigrations.texts { try connection.execute(String(decoding: sql, as: UTF8.self)) }
    }

    /// All of it that an app may lean on: columns, functions, triggers, policies, rights.
    static func description(_ url: String) throws -> [[String?]] {
        try BlockingConnection.connect(to: url).query(
            """
            SELECT 'column', table_name, column_name, data_type, coalesce(column_default, '') || is_nullable
                FROM information_schema.columns WHERE table_schema = 'storage'
            UNION ALL SELECT 'function', proname, pg_get_functiondef(p.oid), proowner::regrole::text, ''
                FROM pg_proc AS p WHERE pronamespace = 'storage'::regnamespace
            UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled::text
                FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'storage.%'
            UNION ALL SELECT 'policy', tablename, policyname, roles::text || cmd, coalesce(qual, '') || coalesce(with_check, '')
                FROM pg_policies WHERE schemaname = 'storage'
            UNION ALL SELECT 'table', relname, relowner::regrole::text, relrowsecurity::text, relacl::text
                FROM pg_class WHERE relnamespace = 'storage'::regnamespace AND relkind = 'r'
            ORDER BY 1, 2, 3, 4, 5
            """
        )
    }

    private static let platform = """
        DO $$ BEGIN
            PERFORM pg_advisory_xact_lock(20221100);
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'supabase_storage_admin') THEN
                CREATE ROLE supabase_storage_admin NOLOGIN;
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $$;
        CREATE SCHEMA storage AUTHORIZATION supabase_storage_admin;
        GRANT USAGE ON SCHEMA storage TO anon, authenticated, service_role;
        SET ROLE supabase_storage_admin;
        CREATE TYPE storage.buckettype AS ENUM ('STANDARD', 'ANALYTICS', 'VECTOR');
        CREATE TABLE storage.migrations (id integer PRIMARY KEY, name varchar(100) UNIQUE, hash varchar(40));
        CREATE TABLE storage.buckets (
            id text PRIMARY KEY, name text NOT NULL UNIQUE, owner uuid, created_at timestamptz DEFAULT now(),
            updated_at timestamptz DEFAULT now(), public boolean DEFAULT false, avif_autodetection boolean DEFAULT false,
            file_size_limit bigint, allowed_mime_types text[], owner_id text,
            type storage.buckettype NOT NULL DEFAULT 'STANDARD', versioning_status text NOT NULL DEFAULT 'DISABLED'
        );
        CREATE TABLE storage.objects (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(), bucket_id text REFERENCES storage.buckets, name text, owner uuid,
            created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(),
            last_accessed_at timestamptz DEFAULT now(), metadata jsonb,
            path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/')) STORED, version text, owner_id text,
            user_metadata jsonb, archived_at timestamptz, is_delete_marker boolean NOT NULL DEFAULT false,
            is_versioned boolean NOT NULL DEFAULT false
        );
        CREATE UNIQUE INDEX bucketid_objname ON storage.objects (bucket_id, name);
        CREATE INDEX idx_objects_bucket_id_name ON storage.objects (bucket_id, name COLLATE "C");
        CREATE TABLE storage.s3_multipart_uploads (
            id text PRIMARY KEY, bucket_id text NOT NULL REFERENCES storage.buckets, key text NOT NULL
        );
        ALTER TABLE storage.buckets ENABLE ROW LEVEL SECURITY;
        ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;
        GRANT ALL ON ALL TABLES IN SCHEMA storage TO anon, authenticated, service_role;
        CREATE FUNCTION storage.foldername(name text) RETURNS text[] LANGUAGE sql IMMUTABLE AS
            $$ SELECT (string_to_array(name, '/'))[1:array_length(string_to_array(name, '/'), 1) - 1] $$;
        CREATE FUNCTION storage.filename(name text) RETURNS text LANGUAGE sql IMMUTABLE AS
            $$ SELECT (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)] $$;
        CREATE FUNCTION storage.operation() RETURNS text LANGUAGE sql STABLE AS
            $$ SELECT current_setting('storage.operation', true) $$;
        CREATE FUNCTION storage.update_updated_at_column() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN NEW.updated_at = now(); RETURN NEW; END $$;
        CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects
            FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();
        CREATE FUNCTION storage.protect_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' THEN
                RAISE EXCEPTION 'Direct deletion from storage tables is not allowed' USING ERRCODE = '42501';
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER protect_buckets_delete BEFORE DELETE ON storage.buckets
            FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
        CREATE TRIGGER protect_objects_delete BEFORE DELETE ON storage.objects
            FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
        RESET ROLE;
        """

    private static let app = """
        CREATE TABLE public.written (name text, folder text, operation text);
        CREATE FUNCTION public.note_object() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
            INSERT INTO public.written
                VALUES (storage.filename(NEW.name), (storage.foldername(NEW.name))[1], storage.operation());
            RETURN NEW;
        END $$;
        CREATE TRIGGER note_object AFTER INSERT ON storage.objects
            FOR EACH ROW EXECUTE FUNCTION public.note_object();
        INSERT INTO storage.buckets (id, name, public, file_size_limit) VALUES
            ('pictures', 'pictures', false, 1000000), ('open', 'open', true, NULL);
        CREATE POLICY "own folder" ON storage.objects TO authenticated
            USING (bucket_id = 'pictures' AND (storage.foldername(name))[1] = auth.uid()::text);
        CREATE POLICY "no lists for anon" ON storage.objects FOR SELECT TO anon
            USING (bucket_id = 'open' AND storage.operation() <> 'storage.object.list');
        INSERT INTO storage.objects (bucket_id, name, owner, owner_id, version, metadata) VALUES (
            'pictures', '\(FilesServer.ada)/\(object)', '\(FilesServer.ada)', '\(FilesServer.ada)', '\(version)',
            '{"eTag":"\\"abc\\"","size":5,"mimetype":"text/plain","cacheControl":"max-age=3600"}'
        );
        TRUNCATE public.written;
        """
}
