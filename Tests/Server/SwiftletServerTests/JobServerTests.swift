import SwiftletAuth
import Foundation
import SwiftletPostgres
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

    private static let secret = "hunter2-hunter2-hunter2-hunter2-hunter2"

    private func serve(_ more: [String: String] = [:]) async throws -> (process: SwiftletProcess, port: Int) {
        let environment = [
            "DATABASE_URL": url, "JWT_SECRET": Self.secret, "HOST": "127.0.0.1", "LOG_FORMAT": "json", "PUSH": "log",
            "JOB_LEASE": "2s", "SHUTDOWN_GRACE": "5s",
        ]
        return try await SwiftletProcess.serveReady(in: folder, environment.merging(more) { $1 })
    }

    private func start() async throws -> SwiftletProcess { try await serve().process }

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
            INSERT INTO swiftlet.jobs (name, scope, caller, payload)
            SELECT 'deliver-push', 'user:ada', '{"sub":"ada"}', json_build_object('message', id)::text FROM push_messages;
            NOTIFY swiftlet_jobs
            """
        )
        let isUnderWay = try await eventually { try count("push_messages WHERE status = 'sent'") > 100 }
        #expect(isUnderWay)
        first.send(SIGKILL)
        let isDone = try await eventually(within: .seconds(60)) {
            try count("swiftlet.jobs WHERE key IS DISTINCT FROM 'tick'") == 0
        }
        #expect(isDone)
        #expect(try count("push_messages WHERE status = 'sent'") == 5000)
        // The jobs that run in a transaction have made one job each, however often they were begun.
        #expect(try count("swiftlet.job_history WHERE name = 'push-to-device' AND state = 'done'") == 5000)
        second.send(SIGTERM)
        #expect(try await second.end() == 0)
        #expect(try count("swiftlet.job_workers") <= 1)
    }

    /// Changes what the C library says of the time.
    private static let faketime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"

    /// The number of seconds until the check-in that has just been asked for is due.
    private func checkIn(_ user: String, on port: Int) throws -> Double {
        let now = Int(Date().timeIntervalSince1970)
        let payload = Array(#"{"sub":"\#(user)","role":"authenticated","exp":\#(now + 3600)}"#.utf8)
        let token = try TokenIssuer(secret: Secret(Self.secret)).issue(payload: payload)
        let body = #"{"nextCheckInInterval":60}"#
        let client = try SocketClient(port: port)
        try client.send(
            "POST /process-check-in HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let reply = try client.reply()
        try #require(reply.status == 200, "\(reply)")
        let rows = try BlockingConnection.connect(to: url).query(
            """
            SELECT extract(epoch FROM due - clock_timestamp())
            FROM swiftlet.jobs WHERE name = 'remind-of-check-in' AND key = 'check-in:\(user)'
            """
        )
        return try #require(rows.first?[0].flatMap { Double($0) })
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: faketime), "install libfaketime"))
    func `servers whose clocks are off by ten minutes keep the database's time`() async throws {
        let database = try BlockingConnection.connect(to: url)
        var servers: [SwiftletProcess] = []
        for (user, offset) in [("ada", "+600s"), ("bob", "-600s")] {
            let (process, port) = try await serve(
                [
                    "LD_PRELOAD": Self.faketime, "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                    // Otherwise it changes the environment, behind which Swift finds the arguments.
                    "FAKETIME_SHARED": "/swiftlet-none /swiftlet-none",
                ]
            )
            servers.append(process)
            let seconds = try checkIn(user, on: port)
            #expect((40...60).contains(seconds), "\(offset): due in \(seconds) s")
        }
        // The log has their own time.
        let times = servers.compactMap { $0.text.firstMatch(of: /"time":"[^"]*T(\d\d):(\d\d)/) }
            .compactMap { match in Int(match.1).flatMap { hour in Int(match.2).map { hour * 60 + $0 } } }
        try #require(times.count == 2)
        #expect((15...25).contains((times[0] - times[1] + 1440) % 1440), "\(times)")
        // What is due runs in order, what is not does not, on whichever server.
        try database.execute(
            """
            UPDATE check_ins SET next_check_in = clock_timestamp() - interval '1 second' WHERE user_id = 'ada';
            UPDATE swiftlet.jobs SET due = clock_timestamp() WHERE key = 'check-in:ada' AND name = 'remind-of-check-in';
            NOTIFY swiftlet_jobs
            """
        )
        let isReminded = try await eventually(within: .seconds(20)) {
            try count("check_ins WHERE user_id = 'ada' AND reminded_at IS NOT NULL") == 1
        }
        #expect(isReminded)
        #expect(try count("swiftlet.jobs WHERE key = 'check-in:bob' AND attempts = 0") == 2)
        #expect(try count("swiftlet.jobs WHERE key = 'check-in:ada' AND attempts = 0") == 1)
        // Ticks are those after the database's time, and a claim of one server is no orphan to the other.
        let isTicking = "tick > clock_timestamp() - interval '1 minute' AND tick < clock_timestamp() + interval '1 day'"
        #expect(try count("swiftlet.job_ticks WHERE NOT (\(isTicking))") == 0)
        #expect(try count("swiftlet.job_workers WHERE abs(extract(epoch FROM alive_until - now())) > 10") == 0)
        for server in servers {
            server.send(SIGTERM)
            #expect(try await server.end() == 0)
        }
    }

    @Test func `jobs that no function declares are told of`() async throws {
        try BlockingConnection.connect(to: url).execute(
            "INSERT INTO swiftlet.jobs (name, due) VALUES ('gone', now() - interval '2 minutes'), ('gone', now())"
        )
        let (server, _) = try await serve()
        try await server.print(of: "jobs wait that no function declares")
        #expect(server.text.contains("gone (1)"))
        let list = try await SwiftletProcess.run(["jobs", "list"], in: folder, ["DATABASE_URL": url])
        #expect(list.output.split(separator: "\n").count { $0.contains("this program declares no such job") } == 2)
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
    }

    @Test func `an operator lists, retries and cancels`() async throws {
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO swiftlet.jobs (id, name, due) VALUES (1001, 'later', now() + interval '1 day');
            INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, scope, last_error, payload)
            VALUES (1002, 'bad', 'failed', 1, now(), 3, now(), '', 'trouble', '{}')
            """
        )
        func jobs(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
            try await SwiftletProcess.run(["jobs"] + arguments, in: folder, ["DATABASE_URL": url])
        }
        let list = try await jobs("list")
        #expect(list.status == 0)
        #expect(list.output.contains("1001"))
        #expect(list.output.contains("trouble"))
        #expect(try await jobs("list", "--state", "failed").output.contains("1001") == false)
        #expect(try await jobs("show", "1002").output.contains("last_error"))
        #expect(try await jobs("show", "7").status == 1)
        #expect(try await jobs("retry", "1002").output == "1 job runs again\n")
        #expect(try count("swiftlet.jobs WHERE id = 1002 AND attempts = 0") == 1)
        #expect(try await jobs("cancel", "1001").status == 0)
        #expect(try await jobs("cancel", "1001").status == 1)
        #expect(try await jobs("retry").status == 64)
        #expect(try count("swiftlet.job_history WHERE state = 'cancelled'") == 1)
    }
}
