import Foundation
import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `swiftlet import supabase`, from a database of a hosted project's shape. Programs of PostgreSQL and a server are
/// started, which takes seconds.
@Suite(.needsDatabase, .hangLimit) final class ImportSupabaseTests: Sendable {
    private let folder: String
    private let project: SupabaseProject
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        project = try SupabaseProject(in: folder)
        url = try TestDatabase.createEmpty()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var environment: [String: String] {
        ["DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "APPS": "none", "HOST": "127.0.0.1"]
    }

    private var arguments: [String] { ["import", "supabase", "--from", project.url, "--files", project.files] }

    private func run(
        _ arguments: [String],
        _ more: [String: String] = [:]
    ) async throws -> (status: Int32, text: String) {
        let result = try await SwiftletProcess.run(arguments, in: folder, environment.merging(more) { $1 })
        return (result.status, result.output + result.errors)
    }

    private func query(_ sql: String) throws -> [[String?]] { try BlockingConnection.connect(to: url).query(sql) }

    @Test func `says beforehand what comes and what does not, and changes nothing`() async throws {
        let (status, text) = try await run(arguments + ["--check"])
        #expect(status == 0, "\(text)")
        for line in [
            "2 accounts", "1 buckets, 12 objects", "6 tables of Odd schema, public",
            "the roles reporter, swiftlet_test_server",
            "NOT carried: trigger notify on table public.notes: database webhooks are made by: swiftlet webhooks add",
            "the cron job nightly (0 3 * * *", "1 secrets of the vault", "what public.clean() calls, net.http_post",
            "Edge Functions",
            "NOT carried: policy called on table storage.objects: uses what only Supabase has",
            "NOT carried: policy Allow auth admin on table public.user_roles: it is for supabase_auth_admin only",
            "NOT carried: dashboard_user in policy shared on table public.user_roles: ",
        ] { #expect(text.contains(line), "\(line) is not in: \(text)") }
        #expect(try query("SELECT nspname FROM pg_namespace WHERE nspname IN ('auth', 'swiftlet')").isEmpty)

        // Without it, the other policy would open the rows.
        try project.execute(
            "CREATE POLICY strict ON public.notes AS RESTRICTIVE USING (net.http_post('https://example.com', '{}') = 1)"
        )
        let strict = try await run(arguments + ["--check"])
        #expect(strict.status == 1, "\(strict.text)")
        #expect(strict.text.contains("FIRST: policy strict on table public.notes uses what only Supabase has"))
    }

    @Test func `says what a publication has beside tables`() async throws {
        try project.execute(
            "ALTER PUBLICATION supabase_realtime SET TABLE public.notes (id) WHERE (id IS NOT NULL), public.user_roles"
        )
        let (status, text) = try await run(arguments + ["--check"])
        #expect(status == 0, "\(text)")
        #expect(text.contains("NOT carried: the condition or columns of public.notes in the publication"), "\(text)")
        #expect(!text.contains("columns of public.user_roles in"), "\(text)")
        #expect(text.contains("2 tables in the publication supabase_realtime"), "\(text)")
    }

    @Test func `brings rows, accounts, policies, functions and files`() async throws {
        let (status, text) = try await run(arguments)
        try #require(status == 0, "\(text)")
        // Rows, as they were.
        for table in [
            "public.notes", "public.comments", "public.events", "\"Odd schema\".\"Odd table\"", "public.profiles",
        ] {
            let sum = "SELECT count(*), sum(hashtext(t::text)) FROM \(table) AS t"
            #expect(try query(sum) == BlockingConnection.connect(to: project.url).query(sum), "\(table)")
        }
        #expect(try query("SELECT comments FROM public.totals") == [["5000"]])
        #expect(
            try query("INSERT INTO public.notes (owner, body) SELECT owner, 'x' FROM public.notes LIMIT 1 RETURNING id")
                == [["3"]]
        )
        // Rights: no more and no less.
        #expect(try query("SELECT has_function_privilege('anon', 'public.secret()', 'EXECUTE')") == [["f"]])
        #expect(try query("SELECT has_function_privilege('anon', 'public.shout(text)', 'EXECUTE')") == [["t"]])
        #expect(try query("SELECT has_column_privilege('reporter', 'public.profiles', 'id', 'SELECT')") == [["t"]])
        #expect(try query("SELECT has_column_privilege('reporter', 'public.profiles', 'since', 'SELECT')") == [["f"]])
        #expect(
            try query("SELECT policyname, roles::text FROM pg_policies WHERE tablename = 'user_roles'")
                == [["shared", "{authenticated}"]]
        )
        #expect(try query("SELECT tgenabled FROM pg_trigger WHERE tgname = 'switched_off'") == [["D"]])
        #expect(try query("SELECT obj_description('public.notes'::regclass)") == [["Notes of people"]])
        #expect(
            try query(
                "SELECT count(*) FROM pg_publication_tables WHERE pubname = 'supabase_realtime' AND tablename = 'notes'"
            ) == [["1"]]
        )

        let (process, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        let token = try signIn(port)
        // Under the old policy.
        let rows = try get(port, "/rest/v1/notes?select=body,tag&body=neq.x", token)
        #expect(rows.body == #"[{"body":"\#(SupabaseProject.ownNote)","tag":"Red"}]"#)
        #expect(try get(port, "/rest/v1/rpc/shout?word=hey", token).body == "\"HEY!\"")
        let path = "/storage/v1/object/authenticated/pictures/\(GoTrueDatabase.userID)/picture%203.txt"
        let file = try get(port, path, token)
        #expect(file.body == SupabaseProject.content(3))
        #expect(try get(port, path, nil).status == 400)
        // A new account runs the trigger.
        let account = #"{"email":"new@example.com","password":"a long password"}"#
        #expect(try post(port, "/auth/v1/signup", account).status == 200)
        #expect(try query("SELECT count(*) FROM public.profiles") == [["3"]])
        // The files of a running project, by HTTP.
        let other = try TestDatabase.createEmpty()
        let place = ["DATABASE_URL": other, "STORAGE_PATH": "\(folder)/other"]
        let byHTTP = ["import", "supabase", "--from", project.url, "--files", "http://127.0.0.1:\(port)/storage/v1/s3"]
        let wrong = try await run(byHTTP, place.merging(["IMPORT_SERVICE_KEY": "nonsense"]) { $1 })
        #expect(wrong.status == 1, "\(wrong.text)")
        let key = place.merging(["IMPORT_SERVICE_KEY": try serviceKey()]) { $1 }
        let second = try await run(byHTTP, key)
        #expect(second.status == 0, "\(second.text)")
        let check = try await run(["storage", "check", "--deep"], place)
        #expect(check.text.hasPrefix("12 rows, 0 without their file, 0 whose"), "\(check.text)")
        process.send(SIGTERM)
        _ = try await process.end()

        let again = try await run(arguments)
        #expect(again.status == 1 && again.text.contains("has had an import"))
    }

    /// What is killed is held up by a lock first, so that it is where the test says.
    @Test func `goes on where it was killed, and takes what has changed meanwhile`() async throws {
        // The tables are there before the import is, so that it can be held up at the first rows; it may read them before.
        #expect(try await run(["migrate", "up"]).status == 0)
        try await kill(at: "auth.users", lock: "SHARE")
        #expect(try query("SELECT count(*) FROM auth.users") == [["0"]])
        #expect(try query("SELECT step FROM swiftlet.import_steps ORDER BY step") == [["preparation"], ["tables"]])

        try await kill(at: "public.comments")
        #expect(try query("SELECT count(*) FROM auth.users") == [["2"]])
        try project.execute(
            """
            UPDATE auth.users SET raw_user_meta_data = '{"changed": true}';
            INSERT INTO "Odd schema"."Odd table" VALUES (8);
            """
        )
        // What was made here meanwhile is not deleted.
        _ = try query("INSERT INTO \"Odd schema\".\"Odd table\" VALUES (9)")
        let refused = try await run(arguments)
        #expect(refused.status == 1 && refused.text.contains("the rows have changed here"), "\(refused.text)")
        #expect(try query("SELECT sum(id) FROM \"Odd schema\".\"Odd table\"") == [["16"]])
        _ = try query("DELETE FROM \"Odd schema\".\"Odd table\" WHERE id = 9")
        try await kill(at: "storage.objects")
        #expect(try query("SELECT count(*) FROM public.comments") == [["5000"]])
        #expect(try query("SELECT count(*) FROM auth.users WHERE raw_user_meta_data ? 'changed'") == [["2"]])
        #expect(try query("SELECT sum(id) FROM \"Odd schema\".\"Odd table\"") == [["15"]])

        let last = try await run(arguments)
        #expect(last.status == 0, "\(last.text)")
        #expect(!last.text.contains("rows of"))
        let check = try await run(["storage", "check", "--deep"])
        #expect(check.text.hasPrefix("12 rows, 0 without their file, 0 whose"), "\(check.text)")
    }

    /// Starts the import unless it runs, waits until it wants the table, and kills it.
    private func kill(at table: String, lock: String = "ACCESS EXCLUSIVE") async throws {
        let holder = try BlockingConnection.connect(to: url)
        try holder.execute("BEGIN; LOCK TABLE \(table) IN \(lock) MODE")
        let process = try SwiftletProcess(arguments, in: folder, environment)
        let waits = "SELECT 1 FROM pg_locks WHERE relation = '\(table)'::regclass AND NOT granted"
        let isHeld = try await eventually(within: .seconds(60)) { try !query(waits).isEmpty }
        try #require(isHeld, "\(process.text) \(process.errorText)")
        process.send(SIGKILL)
        #expect(try await process.end() == -SIGKILL)
        // The program that it copies by may have had all of it, and would go on.
        _ = try query(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = '\(table)'::regclass AND NOT granted"
        )
        try holder.execute("ROLLBACK")
        // What it had begun ends without a trace.
        let isGone = try await eventually(within: .seconds(60)) {
            try query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
                .count <= 1
        }
        #expect(isGone)
    }

    @Test func `refuses what is not empty, and files that nobody has named`() async throws {
        try BlockingConnection.connect(to: url).execute("CREATE TABLE public.mine (id integer)")
        let filled = try await run(arguments)
        #expect(filled.status == 1 && filled.text.contains("not empty (public.mine)"), "\(filled.text)")
        try BlockingConnection.connect(to: url).execute("DROP TABLE public.mine")
        let unnamed = try await run(["import", "supabase", "--from", project.url])
        #expect(unnamed.status == 1 && unnamed.text.contains("the project has 12 files"), "\(unnamed.text)")
        let nowhere = try await run(["import", "supabase"])
        #expect(nowhere.status == 64 && nowhere.text.contains("IMPORT_FROM"))
        let pooler = try await run(["import", "supabase", "--from", "postgresql://a@b:6543/postgres"])
        #expect(pooler.status == 1 && pooler.text.contains("transaction pooler"))
        let own = try await run(["import", "supabase", "--from", TestDatabase.create()])
        #expect(own.status == 1 && own.text.contains("a database of Swiftlet already"), "\(own.text)")
        let plain = try await run(["import", "supabase", "--from", TestDatabase.createEmpty()])
        #expect(plain.status == 1 && plain.text.contains("no table auth.users"), "\(plain.text)")
        #expect(try query("SELECT nspname FROM pg_namespace WHERE nspname IN ('auth', 'swiftlet')").isEmpty)
    }

    /// As Supabase's own server keeps them, below its tenant.
    @Test(.enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"))
    func `brings the files of a bucket, and goes on with those that were missing`() async throws {
        let server = try await blocking { Result { try PythonServer.start("s3_server.py") } }.get()
        let text: (String) throws -> String = { try #require(server.announcement[$0]?.string) }
        let place = [
            "IMPORT_S3_ENDPOINT": try text("endpoint"), "IMPORT_S3_REGION": "eu-central-1",
            "IMPORT_S3_ACCESS_KEY": try text("access"), "IMPORT_S3_SECRET_KEY": try text("secret"),
        ]
        let command = ["import", "supabase", "--from", project.url, "--files", "s3://files/stub"]
        let path = "\(project.files)/pictures/\(GoTrueDatabase.userID)/picture 5.txt"
        try FileManager.default.moveItem(atPath: path, toPath: "\(folder)/away")
        _ = try await blocking { Result { try server.ask("put \(self.project.files) stub") } }.get()

        let unset = try await run(command)
        #expect(unset.status != 0 && unset.text.contains("IMPORT_S3_ACCESS_KEY is missing"), "\(unset.text)")
        let wrong = try await run(command, place.merging(["IMPORT_S3_SECRET_KEY": "nonsense"]) { $1 })
        #expect(wrong.status == 1 && wrong.text.contains("the S3 server answers 403"), "\(wrong.text)")

        let first = try await run(command, place)
        #expect(first.status == 1 && first.text.contains("no file: pictures/\(GoTrueDatabase.userID)/picture 5.txt"))
        #expect(try query("SELECT count(*) FROM storage.objects") == [["11"]])
        try FileManager.default.moveItem(atPath: "\(folder)/away", toPath: path)
        _ = try await blocking { Result { try server.ask("put \(self.project.files) stub") } }.get()
        let second = try await run(command, place)
        #expect(second.status == 0, "\(second.text)")
        let check = try await run(["storage", "check", "--deep"])
        #expect(check.text.hasPrefix("12 rows, 0 without their file, 0 whose"), "\(check.text)")
    }

    @Test func `tells which files are missing, and brings them when they are there`() async throws {
        let version = "0f4b9a52-2f5c-4a5e-9c57-000000000005"
        let path = "\(project.files)/pictures/\(GoTrueDatabase.userID)/picture 5.txt/\(version)"
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).away")
        let first = try await run(arguments)
        #expect(first.status == 1 && first.text.contains("no file: pictures/\(GoTrueDatabase.userID)/picture 5.txt"))
        #expect(try query("SELECT count(*) FROM storage.objects") == [["11"]])
        try FileManager.default.moveItem(atPath: "\(path).away", toPath: path)
        let second = try await run(arguments)
        #expect(second.status == 0, "\(second.text)")
        #expect(try query("SELECT count(*) FROM storage.objects WHERE version LIKE 's1.%'") == [["12"]])
    }

    @Test func `ends without files that are lost, if it is told to`() async throws {
        let version = "0f4b9a52-2f5c-4a5e-9c57-000000000005"
        let path = "\(project.files)/pictures/\(GoTrueDatabase.userID)/picture 5.txt/\(version)"
        try FileManager.default.removeItem(atPath: path)
        let first = try await run(arguments + ["--accept-missing-files"])
        #expect(first.status == 0 && first.text.contains("NOT carried: 1 objects: their files"), "\(first.text)")
        #expect(try query("SELECT count(*) FROM storage.objects") == [["11"]])
        #expect(try query("SELECT 1 FROM swiftlet.imports WHERE finished_at IS NOT NULL") == [["1"]])
        #expect(try query("SELECT 1 FROM swiftlet.import_steps WHERE step = 'file triggers'") == [["1"]])
    }

    @Test func `leaves the files where they are, to be adopted later`() async throws {
        let first = try await run(["import", "supabase", "--from", project.url, "--files", "none"])
        #expect(first.status == 0, "\(first.text)")
        let place = ["STORAGE_SUPABASE_PATH": project.files]
        #expect(try await run(["storage", "check"], place).status == 0)
        let dry = try await run(["storage", "adopt", "--dry-run"], place)
        #expect(dry.status == 0 && dry.text.contains("12 files would be adopted"), "\(dry.text)")
        let version = "0f4b9a52-2f5c-4a5e-9c57-000000000007"
        let path = "\(project.files)/pictures/\(GoTrueDatabase.userID)/picture 7.txt/\(version)"
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).away")
        let partly = try await run(["storage", "adopt"], place)
        #expect(partly.status == 1 && partly.text.contains("11 files are adopted, 1 are missing"), "\(partly.text)")
        try FileManager.default.moveItem(atPath: "\(path).away", toPath: path)
        let rest = try await run(["storage", "adopt"], place)
        #expect(rest.status == 0 && rest.text.contains("1 files are adopted, 0 are missing"), "\(rest.text)")
        // Without the folder now.
        let check = try await run(["storage", "check", "--deep"])
        #expect(check.text.hasPrefix("12 rows, 0 without their file, 0 whose"), "\(check.text)")
    }

    /// A folder and a bucket that were filled without Supabase.
    @Test(.enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"))
    func `files that no row knows become objects`() async throws {
        #expect(try await run(["migrate", "up"]).status == 0)
        let place = "\(folder)/loose"
        for (name, content) in [("a/cat 1.png", "cat"), ("a/é%.txt", "text"), (".hidden", "x"), ("big", "b")] {
            let file = URL(fileURLWithPath: "\(place)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content.utf8).write(to: file)
        }
        try FileManager.default.createSymbolicLink(atPath: "\(place)/link", withDestinationPath: "/etc/hostname")
        let command = ["storage", "adopt", "--from", place, "--bucket", "pictures"]
        let without = try await run(command)
        #expect(without.status == 1 && without.text.contains("there is no bucket pictures: INSERT"), "\(without.text)")
        _ = try query("INSERT INTO storage.buckets (id, name) VALUES ('pictures', 'pictures')")
        _ = try query("INSERT INTO storage.objects (bucket_id, name) VALUES ('pictures', 'big')")
        let dry = try await run(command + ["--dry-run"])
        #expect(dry.status == 0 && dry.text.contains("2 files would be adopted, 1 were there"), "\(dry.text)")
        let done = try await run(command)
        #expect(done.status == 0 && done.text.contains("2 files are adopted, 1 were there"), "\(done.text)")
        let rows = "SELECT name, metadata ->> 'mimetype', metadata ->> 'eTag' FROM storage.objects WHERE version <> ''"
        #expect(
            try query(rows + " ORDER BY name") == [
                ["a/cat 1.png", "image/png", "\"d077f244def8a70e5ea758bd8352fcd8\""],
                ["a/é%.txt", "text/plain", "\"1cb251ec0d568de6a929b520c4aed8d1\""],
            ]
        )
        _ = try query("DELETE FROM storage.objects WHERE name = 'big'")
        // Two files that one name would stand for, and one whose name would clear the terminal.
        let odd = ["a/e\u{301}%.txt", "a/\u{1b}[2J"].map { URL(fileURLWithPath: "\(place)/\($0)") }
        for file in odd { try Data("odd".utf8).write(to: file) }
        let strange = try await run(command + ["--dry-run"])
        #expect(strange.status == 1, "\(strange.text)")
        for part in ["1 files would be adopted, 2 were there", "same name a/", "no name   a/\\u{1b}[2J\n"] {
            #expect(strange.text.contains(part), "\(part.debugDescription) is not in: \(strange.text)")
        }
        for file in odd { try FileManager.default.removeItem(at: file) }

        let server = try await blocking { Result { try PythonServer.start("s3_server.py") } }.get()
        let text: (String) throws -> String = { try #require(server.announcement[$0]?.string) }
        _ = try await blocking { Result { try server.ask("put \(place) old/files") } }.get()
        let keys = [
            "IMPORT_S3_ENDPOINT": try text("endpoint"), "IMPORT_S3_REGION": "eu-central-1",
            "IMPORT_S3_ACCESS_KEY": try text("access"), "IMPORT_S3_SECRET_KEY": try text("secret"),
        ]
        let byS3 = ["storage", "adopt", "--from", "s3://files/old/files", "--bucket", "pictures", "--folder", "s3"]
        let first = try await run(byS3, keys)
        #expect(first.status == 0 && first.text.contains("5 files are adopted, 0 were there"), "\(first.text)")
        let again = try await run(byS3, keys)
        #expect(again.text.contains("0 files are adopted, 5 were there"), "\(again.text)")
        #expect(try query("SELECT 1 FROM storage.objects WHERE name = 's3/a/é%.txt'") == [["1"]])
        let check = try await run(["storage", "check", "--deep"])
        #expect(check.text.hasPrefix("7 rows, 0 without their file, 0 whose"), "\(check.text)")
    }

    private func serviceKey() throws -> String {
        let payload = #"{"role":"service_role","iat":1700000000,"exp":4000000000}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }

    private func signIn(_ port: Int) throws -> String {
        let body = #"{"email":"\#(GoTrueDatabase.email)","password":"\#(GoTrueDatabase.password)"}"#
        let reply = try post(port, "/auth/v1/token?grant_type=password", body)
        return try #require(JSONParser.parse(Array(reply.body.utf8))["access_token"]?.string, "\(reply.body)")
    }

    private func post(_ port: Int, _ path: String, _ body: String) throws -> SocketClient.Reply {
        let client = try SocketClient(port: port)
        try client.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try client.reply()
    }

    private func get(_ port: Int, _ path: String, _ token: String?) throws -> SocketClient.Reply {
        let client = try SocketClient(port: port)
        let field = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
        return try client.reply()
    }
}
