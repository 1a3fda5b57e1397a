import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `swiftlet users merge`, and accounts that have a phone number only.
@Suite(.needsDatabase, .hangLimit)
final class UsersMergeTests {
    private let folder: String
    private let url: String
    private let connection: BlockingConnection

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
        connection = try BlockingConnection.connect(to: url)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func users(
        _ arguments: String...,
        input: String? = nil
    ) async throws -> (status: Int32, output: String, errors: String) {
        let environment = ["DATABASE_URL": url, "BCRYPT_COST": "4"]
        return try await SwiftletProcess.run(["users"] + arguments, in: folder, environment, input: input)
    }

    private func value(_ sql: String) throws -> String? { try connection.query(sql).first?.first ?? nil }

    private func id(_ name: String) throws -> String {
        try #require(try value("SELECT id FROM auth.users WHERE '\(name)' IN (email, phone)"))
    }

    @Test func `adds, shows, lists, disables and enables an account with a phone number`() async throws {
        let added = try await users("add", "+49 151 12345678", input: "password one")
        #expect(added.status == 0, "\(added.errors)")
        let row = try connection.query(
            """
            SELECT phone, u.email, phone_confirmed_at IS NOT NULL, raw_app_meta_data ->> 'provider', i.provider,
                i.identity_data ->> 'phone'
            FROM auth.users AS u JOIN auth.identities AS i ON i.user_id = u.id
            """
        )
        #expect(row == [["4915112345678", nil, "t", "phone", "phone", "4915112345678"]])
        let shown = try await users("show", "4915112345678")
        #expect(shown.output.contains("+4915112345678"), "\(shown.output) \(shown.errors)")
        #expect(shown.output.contains("sign-in by phone"))
        #expect(try await users("show", try id("4915112345678")).output == shown.output)
        #expect(try await users("list").output.contains("+4915112345678  active"))
        #expect(try await users("disable", "+4915112345678").status == 0)
        #expect(try await users("list").output.contains("+4915112345678  disabled"))
        #expect(try await users("enable", "+4915112345678").status == 0)
        try connection.execute("INSERT INTO swiftlet.login_attempts (subject) VALUES ('account 4915112345678')")
        #expect(try await users("set-password", "+4915112345678", input: "password two").status == 0)
        #expect(try value("SELECT count(*) FROM swiftlet.login_attempts") == "0")
        #expect(try await users("add", "+4915112345678", input: "password").errors.contains("set-password"))
        #expect(try await users("show", "nobody").status == 64)
        #expect(try await users("show", "+4915100000000").status == 1)
    }

    /// Two accounts: one with a number, the other with an address, each with a session, a row and an identity.
    private func makeTwo() async throws -> (old: String, new: String) {
        #expect(try await users("add", "+4915112345678", input: "password one").status == 0)
        #expect(try await users("add", "ada@example.org", input: "password two").status == 0)
        let (old, new) = (try id("4915112345678"), try id("ada@example.org"))
        try connection.execute(
            """
            CREATE SCHEMA shop;
            CREATE TABLE shop.orders (id serial PRIMARY KEY, buyer uuid REFERENCES auth.users (id) ON DELETE CASCADE);
            CREATE TABLE shop."odd Names" (
                "the User" uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE, topic text,
                UNIQUE ("the User", topic)
            );
            INSERT INTO shop.orders (buyer) VALUES ('\(old)'), ('\(old)'), ('\(new)');
            INSERT INTO shop."odd Names" VALUES ('\(old)', 'a'), ('\(old)', 'b'), ('\(new)', 'c');
            INSERT INTO auth.sessions (id, user_id) VALUES (gen_random_uuid(), '\(old)'), (gen_random_uuid(), '\(new)');
            INSERT INTO auth.identities (provider_id, user_id, identity_data, provider)
            VALUES ('g1', '\(old)', '{"sub":"g1","email":"ada@gmail.example"}', 'google');
            INSERT INTO auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
            VALUES (gen_random_uuid(), '\(old)', 'phone', 'totp', 'verified', now(), now(), 'A'),
                (gen_random_uuid(), '\(new)', 'phone', 'totp', 'verified', now(), now(), 'B');
            INSERT INTO auth.webauthn_credentials (user_id, credential_id, public_key) VALUES ('\(old)', 'x', 'y');
            """
        )
        return (old, new)
    }

    /// Everything that a merge may change, as text.
    private func picture() throws -> String? {
        try value(
            """
            SELECT string_agg(t, '|') FROM (
                SELECT u::text AS t FROM auth.users AS u UNION ALL SELECT i::text FROM auth.identities AS i
                UNION ALL SELECT s::text FROM auth.sessions AS s UNION ALL SELECT f::text FROM auth.mfa_factors AS f
                UNION ALL SELECT o::text FROM shop.orders AS o UNION ALL SELECT n::text FROM shop."odd Names" AS n
                UNION ALL SELECT a::text FROM auth.audit_log_entries AS a
                UNION ALL SELECT e::text FROM swiftlet.ended_tokens AS e ORDER BY 1
            ) AS all_rows
            """
        )
    }

    @Test func `tells what would move, and moves it all in one`() async throws {
        let (old, new) = try await makeTwo()
        let before = try picture()
        let told = try await users("merge", "+4915112345678", "ada@example.org")
        #expect(told.status == 0, "\(told.errors)")
        for line in [
            "shop.orders.buyer: 2 move", #"shop."odd Names"."the User": 2 move"#, "second factors: 1 move",
            "passkeys: 1 move", "sign-in methods of providers: 1 move", "the number 4915112345678 moves",
            "nothing is changed",
        ] { #expect(told.output.contains(line), "\(line) in \(told.output)") }
        #expect(try picture() == before)

        let merged = try await users("merge", old, new, "--yes")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try value("SELECT count(*) FROM auth.users") == "1")
        let account = try connection.query(
            """
            SELECT email, phone, phone_confirmed_at IS NOT NULL, raw_app_meta_data -> 'providers'
            FROM auth.users WHERE id = '\(new)'
            """
        )
        #expect(account == [["ada@example.org", "4915112345678", "t", #"["email", "google", "phone"]"#]])
        #expect(try value("SELECT count(*) FROM shop.orders WHERE buyer = '\(new)'") == "3")
        #expect(try value(#"SELECT count(*) FROM shop."odd Names" WHERE "the User" = '\#(new)'"#) == "3")
        #expect(try value("SELECT count(DISTINCT friendly_name) FROM auth.mfa_factors WHERE user_id = '\(new)'") == "2")
        #expect(try value("SELECT count(*) FROM auth.webauthn_credentials WHERE user_id = '\(new)'") == "1")
        #expect(try value("SELECT provider_id FROM auth.identities WHERE provider = 'phone'") == new)
        // The sessions of the other stay; tokens of the one that is gone are refused everywhere.
        #expect(try value("SELECT count(*) FROM auth.sessions") == "1")
        #expect(try value("SELECT count(*) FROM swiftlet.ended_tokens WHERE owner_id = '\(old)'") == "1")
        let entry = try value(
            "SELECT payload -> 'traits' ->> 'merged_id' FROM auth.audit_log_entries WHERE payload ->> 'actor_id' = '\(new)'"
        )
        #expect(entry == old)
        #expect(try await users("merge", old, new, "--yes").status == 1)
    }

    @Test func `moves what others have said of the account, and its work, but no password that nobody has confirmed`()
        async throws
    {
        let (old, new) = try await makeTwo()
        try connection.execute(
            """
            ALTER TABLE public.users ADD COLUMN superior_id varchar REFERENCES public.users (id) ON DELETE CASCADE;
            INSERT INTO public.users (id) VALUES ('\(old)'), ('\(new)') ON CONFLICT DO NOTHING;
            INSERT INTO public.users (id, superior_id) VALUES ('bob', '\(old)');
            INSERT INTO swiftlet.jobs (name, caller) VALUES ('mail', '{"sub":"\(old)","role":"x"}'), ('other', NULL);
            INSERT INTO swiftlet.sync_clients (id, user_id) VALUES (gen_random_uuid(), '\(old)');
            UPDATE auth.users SET encrypted_password = NULL WHERE id = '\(new)';
            UPDATE auth.users SET phone_confirmed_at = NULL WHERE id = '\(old)';
            INSERT INTO auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, phone)
            VALUES (gen_random_uuid(), '\(old)', 'phone', 'verified', now(), now(), '491'),
                (gen_random_uuid(), '\(new)', 'phone', 'unverified', now(), now(), '491');
            """
        )
        let merged = try await users("merge", old, new, "--yes")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(merged.output.contains("the password is given up"), "\(merged.output)")
        #expect(try value("SELECT superior_id FROM public.users WHERE superior_id IS NOT NULL") == new)
        #expect(try value("SELECT caller::json ->> 'sub' FROM swiftlet.jobs WHERE name = 'mail'") == new)
        #expect(try value("SELECT user_id FROM swiftlet.sync_clients") == new)
        #expect(try value("SELECT encrypted_password FROM auth.users WHERE id = '\(new)'") == nil)
        #expect(try value("SELECT status FROM auth.mfa_factors WHERE phone = '491'") == "verified")
    }

    @Test func `refuses rows that a unique key keeps, unless they may be left`() async throws {
        let (old, new) = try await makeTwo()
        try connection.execute(#"INSERT INTO shop."odd Names" VALUES ('\#(new)', 'a')"#)
        let before = try picture()
        let refused = try await users("merge", old, new, "--yes")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("1 cannot move, for a unique key, and are deleted"), "\(refused.errors)")
        #expect(try picture() == before)
        #expect(try await users("merge", old, new, "--yes", "--leave-rows").status == 0)
        let topics = try value(#"SELECT string_agg(topic, ',' ORDER BY topic) FROM shop."odd Names""#)
        #expect(topics == "a,b,c")
    }

    @Test func `gives up factors and passkeys of an account that nobody has confirmed`() async throws {
        let (old, new) = try await makeTwo()
        try connection.execute(
            """
            UPDATE auth.users SET phone_confirmed_at = NULL WHERE id = '\(old)';
            DELETE FROM auth.identities WHERE provider = 'google';
            """
        )
        let before = try picture()
        let told = try await users("merge", old, new)
        #expect(told.output.contains("1 second factors are given up"), "\(told.output) \(told.errors)")
        #expect(told.output.contains("1 passkeys are given up"))
        #expect(try picture() == before)
        #expect(try await users("merge", old, new, "--yes").status == 0)
        // Its own is still there.
        #expect(try value("SELECT string_agg(secret, ',') FROM auth.mfa_factors") == "B")
        #expect(try value("SELECT count(*) FROM auth.webauthn_credentials") == "0")
    }

    @Test func `moves files and buckets, and what else names the account in public users`() async throws {
        let (old, new) = try await makeTwo()
        try connection.execute(
            """
            INSERT INTO storage.buckets (id, name, owner, owner_id) VALUES ('b', 'b', '\(old)', '\(old)');
            INSERT INTO storage.objects (bucket_id, name, owner, owner_id)
            VALUES ('b', 'a.txt', '\(old)', '\(old)'), ('b', 'b.txt', '\(new)', '\(new)');
            INSERT INTO public.users (id) VALUES ('\(old)'), ('\(new)') ON CONFLICT DO NOTHING;
            CREATE TABLE shop.notes (id serial PRIMARY KEY, author varchar REFERENCES public.users (id) ON DELETE CASCADE);
            INSERT INTO shop.notes (author) VALUES ('\(old)'), ('\(new)');
            """
        )
        let told = try await users("merge", old, new)
        for line in ["storage.objects.owner_id: 1 move", "storage.buckets.owner: 1 move", "shop.notes.author: 1 move"] {
            #expect(told.output.contains(line), "\(line) in \(told.output) \(told.errors)")
        }
        #expect(try await users("merge", old, new, "--yes").status == 0)
        #expect(try value("SELECT count(*) FROM storage.objects WHERE owner_id = '\(new)' AND owner = '\(new)'") == "2")
        #expect(try value("SELECT owner_id FROM storage.buckets") == new)
        #expect(try value("SELECT count(*) FROM shop.notes WHERE author = '\(new)'") == "2")
    }

    @Test func `refuses accounts that need not be one person's`() async throws {
        let (old, new) = try await makeTwo()
        func refuses(_ change: String, _ text: String) async throws {
            try connection.execute(change)
            let result = try await users("merge", old, new, "--yes")
            #expect(result.status == 1)
            #expect(result.errors.contains(text), "\(result.errors)")
        }
        #expect(try await users("merge", new, new, "--yes").errors.contains("one account already"))
        try await refuses("UPDATE auth.users SET email_confirmed_at = NULL", "neither a confirmed address")
        try await refuses(
            "UPDATE auth.users SET email_confirmed_at = now(); UPDATE auth.users SET banned_until = 'infinity' WHERE id = '\(old)'",
            "is disabled"
        )
        try await refuses("UPDATE auth.users SET banned_until = NULL, role = id::text", "different roles")
        try await refuses(
            "UPDATE auth.users SET role = 'authenticated', raw_app_meta_data = jsonb_build_object('tenant_id', id)",
            "belong to the tenants"
        )
        #expect(try value("SELECT count(*) FROM auth.users") == "2")
    }
}
