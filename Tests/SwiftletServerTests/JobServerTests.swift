import Foundation
import Postgres
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// Two servers on one database, as operators run them.
@Suite(.needsDatabase, .hangLimit)
final class JobServerTests {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func start() async throws -> SwiftletProcess {
        try await SwiftletProcess.serveReady(
            in: folder,
            [
                "DATABASE_URL": url, "JWT_SECRET": "hunter2-hunter2-hunter2-hunter2-hunter2", "HOST": "127.0.0.1",
                "LOG_FORMAT": "json", "PUSH": "log", "JOB_LEASE": "2s", "SHUTDOWN_GRACE": "5s",
            ]
        )
        .process
    }

    private func count(_ rest: String) throws -> Int {
        let rows = try BlockingConnection.connect(to: url).query("SELECT count(*) FROM \(rest)")
        return rows.first?[0].flatMap { Int($0) } ?? -1
    }

    @Test func `one of two servers is killed among 5000 jobs: each has its effect once`() async throws {
        let first = try await start()
        let second = try await start()
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO push_tokens (token, user_id, platform, app)
            SELECT 'token' || i, 'person' || i, 'ios', 'app' FROM generate_series(1, 5000) i;
            INSERT INTO push_messages (user_id, recipient_id, title, body)
            SELECT 'ada', 'person' || i, 'a', 'b' FROM generate_series(1, 5000) i;
            INSERT INTO swiftlet_jobs (name, scope, caller, payload)
            SELECT 'deliver-push', 'user:ada', '{"sub":"ada"}', json_build_object('message', id)::text FROM push_messages;
            NOTIFY swiftlet_jobs
            """
        )
        let isUnderWay = try await eventually { try count("push_messages WHERE status = 'sent'") > 100 }
        #expect(isUnderWay)
        first.send(SIGKILL)
        let isDone = try await eventually(within: .seconds(60)) {
            try count("swiftlet_jobs WHERE key IS DISTINCT FROM 'tick'") == 0
        }
        #expect(isDone)
        #expect(try count("push_messages WHERE status = 'sent'") == 5000)
        // The jobs that run in a transaction have made one job each, however often they were begun.
        #expect(try count("swiftlet_job_history WHERE name = 'push-to-device' AND state = 'done'") == 5000)
        second.send(SIGTERM)
        #expect(try await second.end() == 0)
        #expect(try count("swiftlet_job_workers") <= 1)
    }

    @Test func `an operator lists, retries and cancels`() async throws {
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO swiftlet_jobs (id, name, due) VALUES (1001, 'later', now() + interval '1 day');
            INSERT INTO swiftlet_job_history (id, name, state, priority, due, attempts, enqueued_at, scope, last_error, payload)
            VALUES (1002, 'bad', 'failed', 1, now(), 3, now(), '', 'trouble', '{}')
            """
        )
        func jobs(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
            try await SwiftletProcess.run(["jobs"] + arguments, in: folder, ["DATABASE_URL": url])
        }
        let list = try await jobs("list")
        #expect(list.status == 0)
        #expect(list.output.contains("1001") && list.output.contains("trouble"))
        #expect(try await jobs("list", "--state", "failed").output.contains("1001") == false)
        #expect(try await jobs("show", "1002").output.contains("last_error"))
        #expect(try await jobs("show", "7").status == 1)
        #expect(try await jobs("retry", "1002").output == "1 job runs again\n")
        #expect(try count("swiftlet_jobs WHERE id = 1002 AND attempts = 0") == 1)
        #expect(try await jobs("cancel", "1001").status == 0)
        #expect(try await jobs("cancel", "1001").status == 1)
        #expect(try await jobs("retry").status == 64)
        #expect(try count("swiftlet_job_history WHERE state = 'cancelled'") == 1)
    }
}
