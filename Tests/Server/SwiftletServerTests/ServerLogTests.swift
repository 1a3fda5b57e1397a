import Dispatch
import Foundation
import SwiftletJSON
import Logging
import SwiftletPostgres
import SwiftletWeb
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletServer

/// What an operator finds in the log, and that the log never gets in the way.
@Suite(.hangLimit) final class ServerLogTests {
    private let folder: String
    private let environment = [
        "DATABASE_URL": "postgresql://app@127.0.0.1:1/app", "JWT_SECRET": TestApplication.secret, "HOST": "127.0.0.1",
        "LOG_FORMAT": "json",
    ]

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func start(_ settings: [String: String] = [:]) async throws -> (SwiftletProcess, port: Int) {
        try await SwiftletProcess.serve(in: folder, environment.merging(settings) { $1 })
    }

    /// The log's lines about one request.
    private func lines(_ process: SwiftletProcess, about requestID: String) throws -> [JSONValue] {
        try process.text.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
            .filter { $0["request_id"]?.string == requestID }
    }

    /// A pipe in which there is room for nothing any more.
    private func makeFullPipe() throws -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let line = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        while unsafe write(descriptor, line, line.count) > 0 {}
        return pipe
    }

    /// `swiftlet serve` with its log in `pipe`, on a port that was free a moment ago.
    private func serve(into pipe: Pipe) async throws -> (Process, port: Int) {
        let (first, port) = try await start()
        first.send(SIGTERM)
        _ = try await first.end()
        let process = Process()
        process.executableURL = SwiftletProcess.program
        process.arguments = ["serve", "--port", "\(port)"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = environment
        process.standardOutput = pipe
        try process.run()
        for _ in 0..<200 {
            if (try? SocketClient(port: port)) != nil { return (process, port) }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it does not serve")
        throw CancellationError()
    }

    @Test func `a log that nobody reads holds up neither requests nor the end`() async throws {
        let pipe = try makeFullPipe()
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFL, 0)
        let (process, port) = try await serve(into: pipe)
        defer { kill(process.processIdentifier, SIGKILL) }
        let status = try await SwiftletServer.blocking {
            let client = try SocketClient(port: port)
            try client.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            return try client.reply().status
        }
        #expect(status == 200)
        process.terminate()
        for _ in 0..<200 where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        try #require(!process.isRunning, "it waits for the log's reader")
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test func `a pipe that does not block loses no line`() async throws {
        let pipe = try makeFullPipe()
        let (process, port) = try await serve(into: pipe)
        defer { kill(process.processIdentifier, SIGKILL) }
        let path = "/" + String(repeating: "a", count: 8000)
        try await SwiftletServer.blocking {
            let client = try SocketClient(port: port)
            for _ in 0..<20 {
                try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.reply()
            }
        }
        try pipe.fileHandleForWriting.close()
        process.terminate()
        let text = try await SwiftletServer.blocking { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        let messages = try text.split(separator: UInt8(ascii: "\n")).map {
            try JSONParser.parse(Array($0))["message"]?.string
        }
        #expect(messages.filter { $0 == "request" }.count == 20)
        #expect(messages.last == "stopped")
    }

    /// A browser shows its page no response without the origin, whatever the status.
    @Test func `what never became a request is found by the id of its answer, which browsers may see`() async throws {
        let (process, port) = try await start(["ALLOWED_ORIGINS": "*"])
        let reply = try await SwiftletServer.blocking {
            let client = try SocketClient(port: port)
            try client.send("GET /hunter2 HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\nA : hunter2\r\n\r\n")
            return try client.reply()
        }
        #expect(reply.header("access-control-allow-origin") == "https://a.example")
        process.send(SIGTERM)
        _ = try await process.end()
        let found = try lines(process, about: try #require(reply.header("x-request-id")))
        #expect(found.count == 1)
        #expect(found.first?["message"] == "refused")
        #expect(found.first?["status"] == 400)
        #expect(found.first?["remote"] == "127.0.0.1")
        #expect(found.first?["reason"]?.string?.isEmpty == false)
        #expect(!process.text.contains("hunter2"))
    }

    @Test func `what is refused behind its head is answered and told of under the client's own id`() async throws {
        let (process, port) = try await start(["ALLOWED_ORIGINS": "https://a.example,https://b.example"])
        let reply = try await SwiftletServer.blocking {
            let client = try SocketClient(port: port)
            try client.send(
                "POST /tasks?hunter2 HTTP/1.1\r\nHost: x\r\nOrigin: https://b.example\r\nX-Request-ID: mine\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nhunter2\r\n"
            )
            return try client.reply()
        }
        process.send(SIGTERM)
        _ = try await process.end()
        #expect(reply.status == 400)
        #expect(reply.header("x-request-id") == "mine")
        #expect(reply.header("access-control-allow-origin") == "https://b.example")
        let found = try lines(process, about: "mine")
        #expect(found.count == 1)
        #expect(found.first?["message"] == "refused")
        #expect(found.first?["status"] == 400)
        #expect(found.first?["method"] == "POST")
        #expect(found.first?["path"] == "/tasks")
        #expect(!process.text.contains("hunter2"))
    }

    @Test(.needsDatabase)
    func `tells of migrations in the form of all lines`() async throws {
        let process = try SwiftletProcess(
            ["serve", "--port", "0", "--migrate"],
            in: folder,
            environment.merging([
                "DATABASE_URL": try TestDatabase.createEmpty(), "MIGRATIONS_DIR": TestDatabase.migrations,
            ]) {
                $1
            }
        )
        try await process.print(of: #""message":"serving""#)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        let lines = try process.text.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
        let applied = lines.filter { $0["message"] == "migration applied" }.compactMap { $0["name"]?.string }
        #expect(applied.first == "0001_claims_and_roles")
        #expect(lines.last?["message"] == "stopped")
    }

    @Test func `carries a trace, and nothing else that is called so`() async throws {
        let (process, port) = try await start()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try await SwiftletServer.blocking {
            for (id, parent) in [
                ("good", trace), ("long", trace + String(repeating: "x", count: 9000)), ("short", "00"),
            ] {
                let client = try SocketClient(port: port)
                try client.send(
                    "GET /health HTTP/1.1\r\nHost: x\r\nX-Request-ID: \(id)\r\nTraceparent: \(parent)\r\n\r\n"
                )
                #expect(try client.reply().header("x-request-id") == id)
            }
        }
        process.send(SIGTERM)
        _ = try await process.end()
        #expect(try lines(process, about: "good").first?["traceparent"]?.string == trace)
        for id in ["long", "short"] {
            let line = try #require(try lines(process, about: id).first)
            #expect(line["traceparent"] == nil)
        }
    }

    @Test(.needsDatabase)
    func `tells a slow answer by the client's id, and from a client that left`() async throws {
        let url = try TestDatabase.create()
        let (process, port) = try await start(["DATABASE_URL": url, "REQUEST_TIMEOUT": "1s"])
        try await process.print(of: #""message":"schema loaded""#)
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute("BEGIN; LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE")
        let token = try TestApplication.token(tenant: "acme", user: "ada")
        let ask = "GET /tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
        let reply = try await SwiftletServer.blocking {
            let leaving = try SocketClient(port: port)
            try leaving.send(ask + "X-Request-ID: gone\r\n\r\n")
            pause(.milliseconds(300))
            leaving.reset()
            let client = try SocketClient(port: port)
            try client.send(ask + "\r\n")
            return try client.reply()
        }
        #expect(reply.status == 503)
        process.send(SIGTERM)
        _ = try await process.end()
        let slow = try lines(process, about: try #require(reply.header("x-request-id")))
        #expect(slow.compactMap { $0["level"]?.string } == ["warning", "info"])
        #expect(slow.last?["path"] == "/tasks")
        #expect(slow.last?["status"] == 503)
        let gone = try lines(process, about: "gone")
        #expect(gone.compactMap { $0["level"]?.string } == ["info"])
        #expect(gone.first?["status"] == 499)
    }

    @Test(arguments: ["\n", "\r\n", "\r", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{9B}2J"])
    func `a value cannot begin a line of text, nor command the terminal`(end: String) throws {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.text) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let logger = Logger(label: "test") { _ in SinkLogHandler(sink: sink, format: .text) }
        logger.error("failed", metadata: ["cause": "one\(end)two"])
        sink.flush(within: .seconds(5))
        let text = String(decoding: written.withLock(\.self), as: UTF8.self)
        let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control }
        #expect(controls.elementsEqual("\n".unicodeScalars))
        #expect(text.hasSuffix("\n"))
    }

    @Test(arguments: [RequestLog.Format.json, .text])
    func `says how many lines were dropped, and when`(format: RequestLog.Format) throws {
        let written = Mutex<[UInt8]>([])
        let mayWrite = DispatchSemaphore(value: 0)
        let sink = LogSink(format) { bytes in
            mayWrite.wait()
            written.withLock { $0 = bytes }
            return bytes.count
        }
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<40 { sink.write(line) }
        for _ in 0..<10 { mayWrite.signal() }
        sink.flush(within: .seconds(20))
        let last = String(decoding: written.withLock(\.self), as: UTF8.self)
        switch format {
        case .json:
            let notice = try JSONParser.parse(Array(last.utf8))
            #expect(notice["message"] == "log lines dropped")
            #expect(notice["time"]?.string?.utf8.count == 24)
        case .text: #expect(last.contains(" WARNING log lines dropped count="))
        }
    }

    @Test func `a full disk loses lines, says how many, and spoils none`() {
        let written = Mutex<[UInt8]>([])
        let room = Mutex(25)
        let sink = LogSink(.text) { bytes in
            let count = room.withLock { room in
                let count = min(room, bytes.count)
                room -= count
                return count
            }
            written.withLock { $0 += bytes[..<count] }
            return count
        }
        for round in 0..<3 {
            if round == 2 { room.withLock { $0 = 10_000 } }
            for line in 0..<3 { sink.write(Array("line \(round)-\(line)\n".utf8)) }
            sink.flush(within: .seconds(5))
        }
        let lines = String(decoding: written.withLock(\.self), as: UTF8.self).split(separator: "\n")
        // Of the first three one and a part of another, then none, then all.
        #expect(lines.prefix(6) == ["line 0-0", "line 0-1", "line 0-", "line 2-0", "line 2-1", "line 2-2"])
        #expect(lines.count == 7)
        #expect(lines.last?.hasSuffix("log lines dropped count=4") == true)
    }
}
