import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Synchronization
import Testing
import SwiftletWeb

/// Calls of functions to other services, as docs/http-client.md describes them.
@Suite(.needsDatabase, .enabled(if: Python.isInstalled, "install python3"), .hangLimit)
struct OutgoingHTTPTests {
    private struct Echo: Decodable {
        let method: String
    }

    private struct Rate: Encodable {
        let currency: String
        let value: Double
    }

    private func with(
        requestLog: RequestLog? = nil,
        _ body: (TestApplication) async throws -> Void
    ) async throws {
        let rates = Function("rates") {
            Get("/") { request, context in
                let address = request.query["from"] ?? ""
                let response = try await context.http.get(address)
                guard response.isSuccess else { throw APIError(.badGateway, "NO_RATES", "There are no rates today.") }
                return .json(["method": .string(try response.decode(Echo.self).method)])
            }.open()
            Post("/") { request, context in
                let address = request.query["to"] ?? ""
                let response = try await context.http.post(address, json: Rate(currency: "EUR", value: 1.5))
                return .json(try response.json())
            }.open()
        }
        let server = try await TestApplication.start([rates], requestLog: requestLog)
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func `reads a value of its own type`() async throws {
        let other = try PythonServer.start("web_server.py")
        try await with { server in
            let response = try await server.send(.get, "/rates?from=http://localhost:\(other.port("http"))/echo")
            #expect(response.text == #"{"method":"GET"}"#)
        }
    }

    @Test func `passes the request's id and trace on, and the log counts the call`() async throws {
        let other = try PythonServer.start("web_server.py")
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.json) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try await with(requestLog: RequestLog(.json, to: sink)) { server in
            let response = try await server.send(
                .post,
                "/rates?to=http://localhost:\(other.port("http"))/echo",
                headers: [("traceparent", trace), ("x-request-id", "mine-7")]
            )
            let seen = try JSONParser.parse(response.body)
            let body = try JSONParser.parse(Array((seen["body"]?.string ?? "").utf8))
            #expect(body == ["currency": "EUR", "value": 1.5])
            let headers = seen["headers"]?.array ?? []
            let fields = Dictionary(
                headers.map { ($0[0]?.string?.lowercased() ?? "", $0[1]?.string ?? "") },
                uniquingKeysWith: { first, _ in first }
            )
            #expect(fields["x-request-id"] == "mine-7")
            #expect(fields["traceparent"] == trace)
            #expect(fields["content-type"] == "application/json")
        }
        sink.flush(within: .seconds(5))
        let line = try JSONParser.parse(written.withLock(\.self))
        #expect(line["http_calls"]?.int == 1)
        #expect((line["http_us"]?.int ?? 0) > 0)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/", 502, "UPSTREAM_FAILED"),
        ("http://no-such-host.invalid/", 502, "UPSTREAM_FAILED"),
        ("ftp://localhost/", 500, "INTERNAL"),
    ])
    func `a failure that is not caught says nothing about the service`(
        address: String,
        status: Int,
        code: String
    ) async throws {
        try await with { server in
            let response = try await server.send(.get, "/rates?from=\(address)")
            #expect(response.status.rawValue == status)
            #expect(try JSONParser.parse(response.body)["code"] == .string(code))
        }
    }
}
