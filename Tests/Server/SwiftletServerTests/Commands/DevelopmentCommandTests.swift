import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// What developers ask of a running `swiftlet dev`, which is started once for all: its private PostgreSQL takes seconds.
@Suite(.needsDatabase, .hangLimit) final class DevelopmentCommandTests: Sendable {
    private static let settings = ["APPS": "device-logs"]
    private let folder: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        try FileManager.default.createDirectory(atPath: "\(folder)/migrations", withIntermediateDirectories: true)
        // Without an app of the program, the folder is not looked at.
        try FileManager.default.copyItem(
            atPath: "\(TestDatabase.migrations)/device-logs",
            toPath: "\(folder)/migrations/device-logs"
        )
        try write("CREATE TABLE notes (id bigint PRIMARY KEY, body text);", to: "migrations/0001_notes.sql")
        try write("INSERT INTO notes VALUES (1, 'seeded');", to: "seed.sql")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private func run(_ arguments: [String], status: Int32 = 0) async throws -> String {
        let result = try await SwiftletProcess.run(arguments, in: folder, Self.settings)
        #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
        return result.output + result.errors
    }

    @Test func `status, logs, shell, seeds and differences know the running server`() async throws {
        let stopped = try await run(["status"], status: 1)
        #expect(
            stopped.contains("nothing answers at http://127.0.0.1:8000") || stopped.contains("DATABASE_URL is missing")
        )
        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, Self.settings)
        try await process.print(of: "Ctrl-C stops both.")
        #expect(process.text.contains("ran seed.sql"))
        let match = try #require(process.text.firstMatch(of: /serves http:\/\/127\.0\.0\.1:(\d+)/))
        let port = try #require(Int(match.1))

        let status = try await run(["status"])
        #expect(status.contains("http://127.0.0.1:\(port), swiftlet dev, process"))
        #expect(status.contains("all applied") && status.contains("--keys shows it"))
        let secret = try String(contentsOfFile: "\(folder)/.swiftlet/jwt-secret", encoding: .utf8).dropLast()
        #expect(!status.contains(secret))
        #expect(try await run(["status", "--keys"]).contains(secret))
        #expect(try await run(["healthcheck"]).contains("healthy"))

        for path in ["/health", "/nowhere"] {
            let client = try SocketClient(port: port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: id-of\(path.dropFirst())\r\n\r\n")
            _ = try client.reply()
        }
        let isLogged = try await eventually(within: .seconds(20)) {
            try String(contentsOfFile: "\(self.folder)/.swiftlet/server.log", encoding: .utf8).contains("id-ofnowhere")
        }
        #expect(isLogged)
        #expect(try await run(["logs", "--status", "4xx"]).contains("404 GET /nowhere"))
        #expect(try await !run(["logs", "--status", "404"]).contains("/health"))
        #expect(try await run(["logs", "--request-id", "id-ofhealth", "--json"]).contains(#""path":"/health""#))
        #expect(try await run(["logs", "--level", "error"]).isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/.swiftlet/server.log")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        let shell = ["db", "shell", "-c"]
        #expect(try await run(shell + ["SELECT body FROM notes"]).contains("seeded"))
        #expect(
            try await run(["db", "shell", "--role", "anon", "-c", "SELECT * FROM notes"], status: 1).contains("denied")
        )
        let id = "9d7f8a34-6d5c-4a0e-9c1b-52f0c2a7e001"
        #expect(
            try await run(["db", "shell", "--user", id, "-c", "SELECT auth.uid(), current_user"]).contains(
                "\(id) | authenticated"
            )
        )
        #expect(try await run(["db", "seed"], status: 1).contains("seed.sql"))

        #expect(try await run(["db", "diff"]).contains("nothing was changed by hand"))
        _ = try await run(
            shell + [
                """
                ALTER TABLE notes ADD COLUMN at timestamptz NOT NULL DEFAULT now(), ALTER COLUMN body SET NOT NULL;
                CREATE TABLE tags (note bigint REFERENCES notes, name text CHECK (name <> ''));
                CREATE INDEX by_name ON tags (name);
                ALTER TABLE tags ENABLE ROW LEVEL SECURITY;
                CREATE POLICY own ON tags TO authenticated USING (note = 1);
                GRANT SELECT ON tags TO authenticated;
                CREATE FUNCTION twice(n integer) RETURNS integer LANGUAGE sql AS 'SELECT 2 * n';
                """
            ]
        )
        let difference = try await run(["db", "diff"])
        for statement in [
            "ALTER TABLE public.notes ADD COLUMN at timestamp with time zone DEFAULT now() NOT NULL;",
            "ALTER TABLE public.notes ALTER COLUMN body SET NOT NULL;", "CREATE TABLE public.tags (",
            "CREATE INDEX by_name ON public.tags", "ALTER TABLE public.tags ENABLE ROW LEVEL SECURITY;",
            "CREATE POLICY own ON public.tags", "GRANT SELECT ON TABLE public.tags TO authenticated;",
            "CREATE OR REPLACE FUNCTION public.twice", "FOREIGN KEY (note) REFERENCES public.notes(id)",
        ] { #expect(difference.contains(statement), "\(statement) is not in \(difference)") }
        // The migration makes in a new database what was made by hand in this one.
        #expect(try await run(["db", "diff", "--write", "tags"]).contains("0002_tags.sql"))
        #expect(try await run(["db", "diff"]).contains("nothing was changed by hand"))
        #expect(try await run(["migrate"]).contains("nothing to apply"))
        _ = try await run(shell + ["DROP TABLE tags; DROP FUNCTION twice"])
        let gone = try await run(["db", "diff"])
        #expect(gone.contains("-- DROP TABLE public.tags;") && gone.contains("DROP ROUTINE public.twice(integer);"))
        #expect(
            try await run(shell + ["SELECT 1 FROM pg_database WHERE datname ~ 'swiftlet_diff'"]).contains("(0 rows)")
        )

        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/.swiftlet/server.json"))
    }

    @Test func `the shell has its role where the address has options, or is refused`() async throws {
        let url = try TestDatabase.create()
        let settings = ["DATABASE_URL": url + (url.contains("?") ? "&" : "?") + "options=-c%20work_mem%3D1234kB"]
        let statement = ["-c", "SELECT current_user, current_setting('work_mem'), auth.uid()"]
        let id = "9d7f8a34-6d5c-4a0e-9c1b-52f0c2a7e001"
        let result = try await SwiftletProcess.run(["db", "shell", "--user", id] + statement, in: folder, settings)
        #expect(result.output.contains("authenticated | 1234kB"), "\(result.output) \(result.errors)")
        #expect(result.output.contains(id))
    }

    @Test func `lines from elsewhere are filtered too`() async throws {
        let lines = """
            starting
            {"time":"2026-01-01T00:00:00.000Z","level":"warning","message":"slow","cause":"disk"}
            {"time":"2026-01-01T00:00:01.000Z","level":"info","message":"request","method":"GET","path":"/a","status":503}

            """
        let all = try await SwiftletProcess.run(["logs", "--file", "-"], in: folder, input: lines)
        #expect(all.output.split(separator: "\n").count == 3)
        let bad = try await SwiftletProcess.run(["logs", "--file", "-", "--level", "error"], in: folder, input: lines)
        #expect(bad.output.contains("503 GET /a") && !bad.output.contains("slow"))
        #expect(try await run(["logs", "--status", "9xx"], status: 64).contains("--status"))
        #expect(try await run(["logs"], status: 1).contains("start swiftlet dev"))
    }
}
