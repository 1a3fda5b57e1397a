import SwiftletEventLoop
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletOutbound

/// Against Python's web server, which does what it is asked to.
@Suite(.enabled(if: Python.isInstalled, "install python3"), .serialized, .hangLimit)
struct HTTPEngineTests {
    private let server: PythonServer

    init() throws { server = try PythonServer.start("web_server.py") }

    private func url(_ path: String, _ port: String = "http") -> String {
        "\(port == "http" ? "http" : "https")://localhost:\(server.port(port))\(path)"
    }

    /// A client with one loop, for the length of `body`.
    private func with(
        poller: PollerKind = .default,
        _ change: (inout HTTPEngine.Settings) -> Void = { _ in },
        _ body: (HTTPEngine) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup.start(count: 1, poller: poller)
        var settings = HTTPEngine.Settings()
        settings.allowsPrivateAddresses = true
        change(&settings)
        let engine = HTTPEngine(group.loops, settings)
        let result: Result<Void, any Error>
        do { result = .success(try await body(engine)) } catch { result = .failure(error) }
        await engine.shutdown()
        group.stop()
        try result.get()
    }

    private func failure(_ engine: HTTPEngine, _ request: HTTPRequest) async -> HTTPFailure? {
        do throws(HTTPFailure) {
            _ = try await engine.send(request)
            return nil
        } catch {
            return error
        }
    }

    private func echo(_ response: HTTPResponse) throws -> JSONValue { try JSONParser.parse(response.body) }

    @Test(arguments: PollerKind.allCases)
    func `sends exactly the given request and returns the response`(poller: PollerKind) async throws {
        try await with(poller: poller) { engine in
            let body = Array("{\"ä\":1}".utf8)
            let headers = [("Content-Type", "application/json"), ("X-Blank", "")]
            let reply = try await engine.send(HTTPRequest("POST", url("/echo?a=b%20c"), body: body, headers: headers))
            #expect(reply.status == 200)
            #expect(reply.header("x-ONE") == "a, b")
            let seen = try echo(reply)
            #expect(seen["method"] == "POST")
            #expect(seen["path"] == "/echo?a=b%20c")
            #expect(seen["body"] == .string("{\"ä\":1}"))
            let fields = (seen["headers"]?.array ?? []).compactMap { $0[0]?.string.map { $0.lowercased() } }
            #expect(
                fields.sorted() == ["accept", "content-length", "content-type", "host", "user-agent", "x-blank"]
            )
        }
    }

    @Test func `keeps its connection for the next request`() async throws {
        try await with { engine in
            var connections: Set<Int> = []
            for _ in 0..<5 {
                connections.insert(
                    try #require(try echo(try await engine.send(.init("GET", url("/echo"))))["connection"]?.int)
                )
            }
            #expect(connections.count == 1)
        }
    }

    @Test func `opens no more connections to a host than it may, and the others wait`() async throws {
        try await with {
            $0.connectionsPerHost = 3
        } _: { engine in
            let address = url("/echo")
            let connections = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        try JSONParser.parse(try await engine.send(.init("GET", address)).body)["connection"]?.int
                    }
                }
                return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
            }
            #expect((1...3).contains(connections.count))
        }
    }

    @Test(arguments: [0, 1, 100_000, 2_000_000]) func `sends and receives bodies of any size`(size: Int) async throws {
        try await with { engine in
            #expect(try await engine.send(.init("GET", url("/big?bytes=\(size)"))).body.count == size)
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: size)
            let seen = try echo(try await engine.send(.init("POST", url("/echo"), body: body)))
            #expect(seen["body"]?.string?.utf8.count == size)
        }
    }

    @Test(arguments: ["/big?bytes=10001", "/stream?bytes=10001", "/stream?bytes=100000000", "/hugehead"])
    func `gives up on what is too large, announced or not`(path: String) async throws {
        try await with { engine in
            var request = HTTPRequest("GET", url(path))
            request.maximumBodyBytes = 10_000
            #expect(await failure(engine, request) == .tooLarge)
        }
    }

    @Test func `gives up on what is too slow: in all, silent, or in the handshake`() async throws {
        try await with { engine in
            var slow = HTTPRequest("GET", url("/slow"))
            slow.timeout = .milliseconds(300)
            #expect(await failure(engine, slow) == .timedOut)
            var silent = HTTPRequest("GET", url("/hang"))
            silent.idleTimeout = .milliseconds(200)
            #expect(await failure(engine, silent) == .timedOut)
            var mute = HTTPRequest("GET", url("/", "mute"))
            mute.connectTimeout = .milliseconds(200)
            #expect(await failure(engine, mute) == .timedOut)
        }
    }

    @Test(arguments: [
        ("/half", HTTPFailure.brokenResponse), ("/nothing", .noConnection), ("/garbage", .brokenResponse),
    ])
    func `refuses incomplete responses and other protocols`(path: String, expected: HTTPFailure) async throws {
        try await with { engine in
            #expect(await failure(engine, .init("GET", url(path))) == expected)
        }
    }

    @Test func `distinguishes unreachable hosts, unknown names, missing TLS and foreign certificates`() async throws {
        try await with { engine in
            #expect(await failure(engine, .init("GET", "http://127.0.0.1:1/")) == .noConnection)
            #expect(await failure(engine, .init("GET", "https://no-such-host.invalid/")) == .unknownHost)
            #expect(await failure(engine, .init("GET", "https://localhost:\(server.port("http"))/")) == .noTLS)
            #expect(await failure(engine, .init("GET", url("/", "https"))) == .badCertificate)
        }
    }

    @Test func `refuses TLS older than 1 2, and authorities that are not there`() async throws {
        try await with({ $0.trust = .anyone }) { engine async throws in
            #expect(try await engine.send(.init("GET", url("/big?bytes=1", "other"))).status == 200)
            #expect(await failure(engine, .init("GET", url("/big?bytes=1", "old"))) == .noTLS)
        }
        try await with({ $0.trust = .systemAnd(file: "/nowhere/ca.pem") }) { engine in
            #expect(await failure(engine, .init("GET", url("/big?bytes=1", "https"))) == .unavailable)
        }
    }

    @Test(arguments: ["ftp://localhost/", "localhost", "http://me:secret@localhost/", "http://", "http://a b/", ""])
    func `refuses other addresses`(address: String) async throws {
        try await with { engine in
            #expect(await failure(engine, .init("GET", address)) == .badAddress)
        }
    }

    @Test func `refuses methods and headers that could begin another line`() async throws {
        try await with { engine in
            #expect(await failure(engine, .init("GE T", url("/echo"))) == .badHeader)
            #expect(await failure(engine, .init("GET", url("/echo"), headers: [("X", "a\r\nY: b")])) == .badHeader)
            #expect(await failure(engine, .init("GET", url("/echo"), headers: [("Content-Length", "5")])) == .badHeader)
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"])
    func `does not connect to private addresses, however they are written`(host: String) async throws {
        try await with {
            $0.allowsPrivateAddresses = false
        } _: { engine in
            let request = HTTPRequest("GET", "http://\(host):\(server.port("http"))/echo")
            #expect(await failure(engine, request) == .refusedAddress)
        }
    }

    @Test func `follows redirects only on request, and only so many`() async throws {
        try await with { engine in
            var request = HTTPRequest("GET", url("/steps/2"))
            let unfollowed = try await engine.send(request)
            #expect(unfollowed.status == 302)
            request.redirects = 1
            #expect(await failure(engine, request) == .tooManyRedirects)
            request.redirects = 2
            let followed = try await engine.send(request)
            #expect(followed.text == "arrived")
        }
    }

    @Test func `sends no headers to where a redirect leaves the server`() async throws {
        try await with { engine in
            var request = HTTPRequest("GET", url("/redirect?to=http://127.0.0.1:\(server.port("http"))/echo"))
            request.headers = [("Authorization", "Bearer x")]
            request.redirects = 1
            let fields = try echo(try await engine.send(request))["headers"]?.array ?? []
            #expect(!fields.contains { $0[0]?.string?.lowercased() == "authorization" })
        }
    }

    @Test func `ends a request whose task is cancelled`() async throws {
        try await with { engine in
            let address = url("/hang")
            let task = Task { await failure(engine, HTTPRequest("GET", address)) }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    @Test func `a shutdown ends what is under way`() async throws {
        try await with { engine in
            let address = url("/hang")
            let task = Task { await failure(engine, HTTPRequest("GET", address)) }
            try await Task.sleep(for: .milliseconds(50))
            await engine.shutdown()
            #expect(await task.value == .unavailable)
            #expect(await failure(engine, .init("GET", url("/echo"))) == .unavailable)
        }
    }

    @Test func `takes no more requests than it may`() async throws {
        try await with {
            $0.maximumRequests = 1
        } _: { engine in
            let address = url("/hang")
            let task = Task { await failure(engine, HTTPRequest("GET", address)) }
            try await Task.sleep(for: .milliseconds(50))
            #expect(await failure(engine, .init("GET", url("/echo"))) == .overloaded)
            task.cancel()
            _ = await task.value
        }
    }

    @Test func `streams a body that is longer than memory should hold`() async throws {
        try await with { engine in
            var request = HTTPRequest("GET", url("/stream?bytes=20000000"))
            request.maximumBodyBytes = 30_000_000
            let stream = try await engine.open(request)
            #expect(stream.head.status == 200)
            var (count, largest) = (0, 0)
            for try await chunk in stream {
                count += chunk.count
                largest = max(largest, chunk.count)
            }
            #expect(count == 20_000_000)
            #expect(largest <= 300_000)
        }
    }

    /// All of it has arrived before its reader asks.
    @Test func `a short stream has its status`() async throws {
        try await with { engine in
            for _ in 0..<20 {
                let stream = try await engine.open(HTTPRequest("GET", url("/big?bytes=0")))
                #expect(stream.head.status == 200)
                #expect(stream.head.header("content-length") == "0")
            }
        }
    }

    @Test func `a stream that breaks off throws`() async throws {
        try await with { engine in
            let stream = try await engine.open(HTTPRequest("GET", url("/half")))
            var text = ""
            await #expect(throws: HTTPFailure.brokenResponse) {
                for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
            }
            #expect(text == "half of it")
        }
    }
}
