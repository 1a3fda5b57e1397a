import Foundation
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

    private func run(_ arguments: [String], _ more: [String: String] = [:]) async throws -> (status: Int32, text: String) {
        let result = try await SwiftletProcess.run(arguments, in: folder, environment.merging(more) { $1 })
        return (result.status, result.output + result.errors)
    }

    private func query(_ sql: String) throws -> [[String?]] { try BlockingConnection.connect(to: url).query(sql) }

    @Test func `says beforehand what comes and what does not, and changes nothing`() async throws {
        let (status, text) = try await run(arguments + ["--check"])
        #expect(status == 0, "\(text)")
        for line in [
            "2 accounts", "1 buckets, 12 objects", "5 tables of Odd schema, public", "the roles reporter",
            "NOT carried: trigger notify on table notes: database webhooks are made by: swiftlet webhooks add",
            "the cron job nightly (0 3 * * *", "1 secrets of the vault", "what public.clean() calls, net.http_post",
            "Edge Functions",
        ] { #expect(text.contains(line), "\(line) is not in: \(text)") }
        #expect(try query("SELECT nspname FROM pg_namespace WHERE nspname IN ('auth', 'swiftlet')").isEmpty)
    }

    @Test func `brings rows, accounts, policies, functions and files`() async throws {
        let (status, text) = try await run(arguments)
        try #require(status == 0, "\(text)")
        // Rows, as they were.
        for table in ["public.notes", "public.comments", "public.events", "\"Odd schema\".\"Odd table\"", "public.profiles"] {
            let sum = "SELECT count(*), sum(hashtext(t::text)) FROM \(table) AS t"
            #expect(try query(sum) == BlockingConnection.connect(to: project.url).query(sum), "\(table)")
        }
        #expect(try query("SELECT comments FROM public.totals") == [["5000"]])
        #expect(try query("INSERT INTO public.notes (owner, body) SELECT owner, 'x' FROM public.notes LIMIT 1 RETURNING id") == [["3"]])
        // Rights: no more and no less.
        #expect(try query("SELECT has_function_privilege('anon', 'public.secret()', 'EXECUTE')") == [["f"]])
        #expect(try query("SELECT has_function_privilege('anon', 'public.shout(text)', 'EXECUTE')") == [["t"]])
        #expect(try query("SELECT has_column_privilege('reporter', 'public.profiles', 'id', 'SELECT')") == [["t"]])
        #expect(try query("SELECT has_column_privilege('reporter', 'public.profiles', 'since', 'SELECT')") == [["f"]])
        #expect(try query("SELECT obj_description('public.notes'::regclass)") == [["Notes of people"]])
        #expect(try query("SELECT count(*) FROM pg_publication_tables WHERE pubname = 'supabase_realtime' AND tablename = 'notes'") == [["1"]])

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
        process.send(SIGTERM)
        _ = try await process.end()

        let again = try await run(arguments)
        #expect(again.status == 1 && again.text.contains("has had an import"))
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
