import Swiftlet
import SwiftletCalls
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

/// Traces, as a collector gets them.
@Suite(.needsDatabase, .enabled(if: Python.isInstalled, "install python3"), .hangLimit)
struct TracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"

    private final class Failures: Sendable {
        let all = Mutex<[String]>([])
    }

    private func with(
        _ sampler: TraceSampler = TraceSampler(ratio: 1, followsParent: true),
        log: RequestLog? = nil,
        _ body: (TestApplication, PythonServer, TraceExporter, SpanQueue, Failures) async throws -> Void
    ) async throws {
        let collector = try PythonServer.start("trace_server.py")
        let echo = try PythonServer.start("web_server.py")
        let queue = SpanQueue()
        let notes = Function("notes") {
            Resource("notes", scope: .tenant).routes()
            Get(
                "/calls",
                { request, context in
                    let response = try await context.http.get("http://localhost:\(echo.port("http"))/echo?secret=1")
                    return Response(body: response.body)
                }
            )
            Get(
                "/fails",
                { _, context in
                    _ = try await context.database.query("SELECT \(context.tenant)::integer")
                    return .success
                }
            )
        }
        try await TestApplication.with(
            [notes],
            sql: "CREATE TABLE notes (id text PRIMARY KEY, tenant_id text, title text)",
            configure: {
                $0.tracer = Tracer(sampler, to: queue)
                $0.requestLog = log
            }
        ) { server in
            var settings = HTTPEngine.Settings()
            settings.allowsPrivateAddresses = true
            let http = HTTPEngine(server.group.loops, settings)
            var target = TraceExporter.Settings(url: "http://127.0.0.1:\(collector.port("http"))/v1/traces")
            target.service = "notes-server"
            target.headers = ["x-key": "k1"]
            let failures = Failures()
            let exporter = TraceExporter(target, queue, http) { reason in failures.all.withLock { $0.append(reason) } }
            do { try await body(server, collector, exporter, queue, failures) } catch {
                await http.shutdown()
                throw error
            }
            await http.shutdown()
        }
    }

    private func ask(_ server: TestApplication, _ target: String, _ flags: String? = nil) async throws -> Response {
        let headers = flags.map { [(Headers.Name("traceparent"), Self.parent + $0)] } ?? []
        return try await server.send(
            .get,
            target,
            token: try TestApplication.token(tenant: "a", user: "ann"),
            headers: headers.map { ($0.0, $0.1) }
        )
    }

    @Test func `the calls of a batch are parts of its trace`() async throws {
        try await with { (server, collector, exporter, _, _) in
            let call = #"{"method":"GET","path":"/notes"}"#
            let answer = try await server.send(
                .post,
                "/batch",
                token: try TestApplication.token(tenant: "a", user: "ann"),
                #"{"requests":[\#(call),\#(call)]}"#
            )
            #expect(answer.status == .ok, "\(answer.text)")
            await exporter.flush()
            let spans = try collector.ask()["spans"]?.array ?? []
            #expect(Set(spans.map { $0["trace"] }).count == 1, "\(spans)")
            let batch = try #require(spans.first { $0["name"] == "POST /batch" }?["span"])
            #expect(spans.count { $0["parent"] == batch && $0["name"] == "GET /notes" } == 2, "\(spans)")
        }
    }

    @Test func `a request and its statements are one trace, which the caller has begun`() async throws {
        try await with { (server, collector, exporter, _, _) in
            #expect(try await ask(server, "/notes?secret=1", "01").status == .ok)
            await exporter.flush()
            let seen = try collector.ask()
            #expect(seen["faults"] == [])
            #expect(seen["requests"] == ["k1"])
            let spans = seen["spans"]?.array ?? []
            #expect(spans.count == 3)
            #expect(
                spans.allSatisfy {
                    $0["trace"] == "0af7651916cd43dd8448eb211c80319c" && $0["service"] == "notes-server"
                }
            )
            let request = try #require(spans.first { $0["kind"] == 2 })
            #expect(request["name"] == "GET /notes")
            #expect(request["parent"] == "b7ad6b7169203331")
            #expect(request["attributes"]?["url.path"] == "/notes")
            #expect(request["attributes"]?["http.response.status_code"] == 200)
            #expect(request["attributes"]?["swiftlet.tenant"] == "a")
            let statements = spans.filter { $0["kind"] == 3 }
            #expect(statements.allSatisfy { $0["parent"] == request["span"] && $0["name"] == "SELECT" })
            #expect(statements.contains { $0["attributes"]?["db.query.text"]?.string?.contains("count(*)") == true })
        }
    }

    @Test func `a call to another service carries its own span, and no query`() async throws {
        try await with { (server, collector, exporter, _, _) in
            let answer = try JSONParser.parse(try await ask(server, "/notes/calls", "01").body)
            let sent = answer["headers"]?.array?.first { $0[0]?.string?.lowercased() == "traceparent" }?[1]?.string
            await exporter.flush()
            let seen = try collector.ask()
            let call = try #require(seen["spans"]?.array?.first { $0["name"] == "GET" })
            #expect(sent == "00-0af7651916cd43dd8448eb211c80319c-\(call["span"]?.string ?? "")-01")
            #expect(call["attributes"]?["http.response.status_code"] == 200)
            #expect(!seen.description.contains("secret"))
        }
    }

    @Test func `a statement that fails is marked, and so is a server's error`() async throws {
        try await with { (server, collector, exporter, _, _) in
            let status = try await ask(server, "/notes/fails").status.rawValue
            await exporter.flush()
            let spans = try collector.ask()["spans"]?.array ?? []
            #expect(spans.first { $0["kind"] == 3 }?["failed"] == true)
            #expect(spans.first { $0["kind"] == 2 }?["failed"] == .bool(status >= 500))
        }
    }

    @Test func `what the caller does not record is not recorded here, and passed on so`() async throws {
        try await with { (server, _, _, queue, _) in
            let answer = try JSONParser.parse(try await ask(server, "/notes/calls", "00").body)
            let sent = answer["headers"]?.array?.first { $0[0]?.string?.lowercased() == "traceparent" }?[1]?.string
            #expect(sent?.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-") == true)
            #expect(sent?.hasSuffix("-00") == true)
            #expect(queue.count == 0)
            _ = try await ask(server, "/notes", "01")
            #expect(queue.count > 0)
        }
    }

    @Test func `a collector that is busy gets the spans later, and one that stays so loses them`() async throws {
        try await with { (server, collector, exporter, queue, failures) in
            _ = try collector.ask("fail 1")
            _ = try await ask(server, "/notes")
            await exporter.flush()
            #expect(try collector.ask()["spans"] == [])
            await exporter.flush()
            #expect(try collector.ask()["spans"]?.array?.count == 3)
            _ = try collector.ask("fail 3")
            _ = try await ask(server, "/notes")
            for _ in 1...3 { await exporter.flush() }
            #expect(queue.dropped == 3)
            #expect(failures.all.withLock(\.self) == ["status 503"])
            #expect(exporter.metrics.contains("result=\"sent\"} 3\n"))
        }
    }

    @Test func `the log's line names the trace`() async throws {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.json) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        try await with(log: RequestLog(.json, to: sink)) { (server, _, _, _, _) in
            _ = try await ask(server, "/notes", "01")
        }
        sink.flush(within: .seconds(5))
        #expect(try JSONParser.parse(written.withLock(\.self))["trace_id"] == "0af7651916cd43dd8448eb211c80319c")
    }
}
