import Dispatch
import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// `swiftlet serve` without a database: what starting, signals and logs do has nothing to do with one.
@Suite(.hangLimit) final class ServingTests {
    private let folder: String
    private let environment = [
        "DATABASE_URL": "postgresql://app:hunter2@127.0.0.1:1/app",
        "JWT_SECRET": "hunter2-hunter2-hunter2-hunter2-hunter2",
        "PORT": "0", "HOST": "127.0.0.1", "LOG_FORMAT": "json",
    ]

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func start(_ settings: [String: String] = [:]) async throws -> (SwiftletProcess, port: Int) {
        try await SwiftletProcess.serve(in: folder, environment.merging(settings) { $1 })
    }

    private func healthcheck(_ port: Int, _ path: String) async throws -> Int32 {
        try await SwiftletProcess.run(["healthcheck", "--port", "\(port)", "--path", path], in: folder).status
    }

    /// A client that has sent half a request and sits there.
    private func hangingClient(_ port: Int) async throws -> Process {
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/bin/bash")
        let request = #"POST /tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"#
        client.arguments = ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; exec sleep 60"]
        try client.run()
        try await Task.sleep(for: .milliseconds(500))
        return client
    }

    @Test func `is healthy but not ready while the database is away, survives SIGHUP, and stops in peace`() async throws
    {
        let (process, port) = try await start()
        #expect(try await healthcheck(port, "/health") == 0)
        #expect(try await healthcheck(port, "/ready") == 1)
        process.send(SIGHUP)
        try await process.print(of: #""message":"reloading""#)
        #expect(try await healthcheck(port, "/health") == 0)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        #expect(process.text.contains(#""message":"stopped""#))
        #expect(process.text.contains(#""message":"database unreachable""#))
        #expect(!process.text.contains("hunter2"))
        #expect(!process.errorText.contains("hunter2"))
    }

    @Test func `shows of itself what the operator wants, and its metrics on a port of their own`() async throws {
        func ask(_ port: Int, _ path: String) throws -> (status: Int, text: String) {
            let client = try SocketClient(port: port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let reply = try client.reply()
            return (reply.status, reply.body)
        }
        let (process, port) = try await start(["METRICS_PORT": "0", "PUBLIC_PAGES": "none"])
        let found = try #require(process.text.firstMatch(of: #/"message":"serving metrics".*?"metrics_port":"(\d+)"/#))
        let metrics = try #require(Int(found.1))
        #expect(try ask(metrics, "/metrics").text.contains("swiftlet_connections_open"))
        for path in ["/health", "/tasks", "/"] { #expect(try ask(metrics, path).status == 404, "\(path)") }
        for path in ["/metrics", "/%6detrics", "//metrics", "/api/metrics", "/openapi.json", "/docs", "/none"] {
            let answer = try ask(port, path)
            #expect(answer.status == 404, "\(path)")
            #expect(!answer.text.contains("tasks"), "\(path)")
        }
        let health = try ask(port, "/health")
        #expect(health.status == 200)
        #expect(health.text.contains(#""functions":[]"#))
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        let (open, openPort) = try await start()
        #expect(try ask(openPort, "/metrics").status == 200)
        #expect(try ask(openPort, "/health").text.contains("tasks"))
        open.send(SIGTERM)
        _ = try await open.end()
    }

    @Test func `writes its log to no socket when it is started without standard streams`() async throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", #"exec "$0" serve <&- >&- 2>&-"#, SwiftletProcess.program.path]
        shell.environment = environment
        shell.currentDirectoryURL = URL(fileURLWithPath: folder)
        (shell.standardInput, shell.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        defer { kill(shell.processIdentifier, SIGKILL) }
        let descriptors = "/proc/\(shell.processIdentifier)/fd"
        let files = FileManager.default
        func links() -> [String] {
            let numbers = (try? files.contentsOfDirectory(atPath: descriptors)) ?? []
            return numbers.compactMap { try? files.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)") }
        }
        #expect(try await eventually { links().contains("anon_inode:[eventpoll]") })
        for number in 0...2 {
            #expect(try files.destinationOfSymbolicLink(atPath: "\(descriptors)/\(number)") == "/dev/null")
        }
    }

    @Test func `no signal to stop is lost while the server starts`() async throws {
        for _ in 0..<5 {
            let process = try SwiftletProcess(["serve"], in: folder, environment)
            // Sent at the moment when it would be lost, if there is one.
            for _ in 0..<20_000 {
                if process.ignores(SIGTERM) || process.text.contains(#""message":"serving""#) { break }
                usleep(100)
            }
            process.send(SIGTERM)
            _ = try await process.end(within: 10)
        }
    }

    @Test func `waits for a request in flight no longer than the grace`() async throws {
        let (process, port) = try await start(["SHUTDOWN_GRACE": "1"])
        let client = try await hangingClient(port)
        defer { client.terminate() }
        let stopwatch = Stopwatch()
        process.send(SIGTERM)
        #expect(try await process.end(within: 10) == 0)
        #expect(stopwatch.wallTime > .milliseconds(900))
    }

    @Test func `is not ready while it is about to stop, and still takes connections`() async throws {
        let (process, port) = try await start(["SHUTDOWN_DELAY": "60"])
        process.send(SIGTERM)
        try await process.print(of: #""message":"stopping""#)
        for (path, status) in [("/ready", 503), ("/health", 200)] {
            let client = try SocketClient(port: port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == status)
            if status == 503 { #expect(reply.body.contains("about to stop")) }
        }
        process.send(SIGTERM)
        #expect(try await process.end(within: 10) == 128 + SIGTERM)
    }

    @Test(arguments: ["0", "200ms"])
    func `stops in peace after the delay`(delay: String) async throws {
        let (process, _) = try await start(["SHUTDOWN_DELAY": delay])
        process.send(SIGTERM)
        #expect(try await process.end(within: 10) == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `ends at once on the second signal`(signal: Int32) async throws {
        let (process, port) = try await start(["SHUTDOWN_GRACE": "60"])
        let client = try await hangingClient(port)
        defer { client.terminate() }
        process.send(SIGTERM)
        try await process.print(of: #""message":"stopping""#)
        process.send(signal)
        #expect(try await process.end(within: 10) == 128 + signal)
    }

    @Test(.needsDatabase)
    func `stops in time while a reload waits for the database`() async throws {
        let url = try TestDatabase.create()
        let (process, port) = try await start(["DATABASE_URL": url])
        #expect(try await eventually { try await healthcheck(port, "/ready") == 0 })
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute("BEGIN; LOCK TABLE pg_catalog.pg_enum IN ACCESS EXCLUSIVE MODE")
        process.send(SIGHUP)
        try await process.print(of: #""message":"reloading""#)
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'pg_enum'::regclass"
        while try connection.query(waits) == [["0"]] { try await Task.sleep(for: .milliseconds(50)) }
        process.send(SIGTERM)
        #expect(try await process.end(within: 8) == 0)
    }

    @Test func `stops in time while a reload waits for a file, which holds up no other reload`() async throws {
        let (certificate, key) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
        let openssl = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
            ]
        )
        try await SwiftletServer.blocking { openssl.waitUntilExit() }
        let settings = [
            "TLS_CERT_FILE": certificate, "TLS_KEY_FILE": key, "DATABASE_URL": "postgresql://127.0.0.1:1/x",
        ]
        let (process, _) = try await start(settings)
        try FileManager.default.removeItem(atPath: certificate)
        try #require(unsafe mkfifo(certificate, 0o600) == 0)
        for round in 1...3 {
            process.send(SIGHUP)
            try await process.print(of: #""message":"reloading""#, times: round)
            try await process.print(of: #""message":"schema not reloaded""#, times: round)
        }
        process.send(SIGTERM)
        #expect(try await process.end(within: 8) == 0)
    }

    @Test(.needsDatabase)
    func `does not start, now or later, where an applied migration was edited`() async throws {
        let settings = environment.merging(["DATABASE_URL": try TestDatabase.createEmpty()]) { $1 }
        let migrations = "\(folder)/migrations"
        try FileManager.default.createDirectory(atPath: migrations, withIntermediateDirectories: true)
        let file = "\(migrations)/0001_first.sql"
        try Data("SELECT 1".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await SwiftletProcess.run(["migrate"], in: folder, settings).status == 0)
        try Data("SELECT 2".utf8).write(to: URL(fileURLWithPath: file))
        let refused = try await SwiftletProcess.run(["serve", "--migrate"], in: folder, settings)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("0001_first"))
    }

    @Test func `whoever waits for blocking work hears of a cancellation at once`() async throws {
        let isOver = DispatchSemaphore(value: 0)
        let waiting = Task { try await SwiftletServer.blocking { isOver.wait() } }
        try await Task.sleep(for: .milliseconds(100))
        let stopwatch = Stopwatch()
        waiting.cancel()
        // Ends the work if the cancellation does not end the wait.
        DispatchQueue.global().asyncAfter(deadline: .now() + 3) { isOver.signal() }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(stopwatch.elapsed < .seconds(2))
        let answer = try await SwiftletServer.blocking { 7 }
        #expect(answer == 7)
    }

    @Test func `names a port that is taken`() async throws {
        let (process, port) = try await start()
        let second = try await SwiftletProcess.run(["serve", "--port", "\(port)"], in: folder, environment)
        #expect(second.status == 78)
        #expect(second.errors.contains("port \(port) on 127.0.0.1 is taken"))
        process.send(SIGINT)
        #expect(try await process.end() == 0)
    }

    @Test func `logs nothing of a request above its level`() async throws {
        let (process, port) = try await start(["LOG_LEVEL": "info"])
        #expect(try await healthcheck(port, "/health") == 0)
        process.send(SIGTERM)
        _ = try await process.end()
        #expect(process.text.contains(#""path":"/health""#))

        let quiet = try SwiftletProcess(
            ["serve", "--port", "\(port)"],
            in: folder,
            environment.merging(["LOG_LEVEL": "error"]) { $1 }
        )
        #expect(try await eventually { try await healthcheck(port, "/health") == 0 })
        quiet.send(SIGTERM)
        _ = try await quiet.end()
        #expect(!quiet.text.contains("/health"))
        #expect(!quiet.text.contains("serving"))
    }
}
