import Dispatch
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletOutbound

/// Against a web server of Python's that does what it is asked to.
@Suite(.enabled(if: Python.isInstalled, "install python3"), .serialized, .hangLimit)
struct HTTPClientTests {
    private let server: PythonServer

    init() throws { server = try PythonServer.start("web_server.py") }

    private func url(_ path: String, _ port: String = "http") -> String {
        "\(port == "http" ? "http" : "https")://localhost:\(server.port(port))\(path)"
    }

    /// The client blocks: not on one of Swift's own few threads.
    private func send(
        _ client: HTTPClient = HTTPClient(),
        _ request: OutboundRequest
    ) async throws -> OutboundResponse {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try client.send(request) }) }
        }
    }

    private func failure(_ client: HTTPClient = HTTPClient(), _ request: OutboundRequest) async -> OutboundError? {
        do {
            _ = try await send(client, request)
            return nil
        } catch {
            return error as? OutboundError
        }
    }

    @Test func `sends exactly the given request and returns the response`() async throws {
        let body = Array("{\"ä\":1}".utf8)
        let headers = [("Content-Type", "application/json"), ("X-Blank", ""), ("Authorization", "Bearer x")]
        let reply = try await send(HTTPClient(), .post(url("/echo?a=b%20c"), body, headers: headers))
        #expect(reply.status == 200)
        #expect(reply.header("x-ONE") == "a, b")
        #expect(reply.header("X-Empty") == "")
        #expect(reply.header("absent") == nil)
        let seen = try JSONParser.parse(reply.body)
        #expect(seen["method"] == "POST")
        #expect(seen["path"] == "/echo?a=b%20c")
        #expect(seen["body"] == .string("{\"ä\":1}"))
        let fields = (seen["headers"]?.array ?? []).compactMap { $0[0]?.string.map { $0.lowercased() } }
        #expect(
            fields.sorted() == [
                "accept", "authorization", "content-length", "content-type", "host", "user-agent", "x-blank",
            ]
        )
    }

    @Test(arguments: [0, 1, 100_000, 2_000_000]) func `sends and receives bodies of any size`(size: Int) async throws {
        var client = HTTPClient()
        client.maximumBodyBytes = 5_000_000
        let answer = try await send(client, .get(url("/big?bytes=\(size)")))
        #expect(answer.body.count == size)
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let echo = try JSONParser.parse(try await send(client, .post(url("/echo"), body)).body)
        #expect(echo["body"]?.string?.utf8.count == size)
    }

    @Test(arguments: [400, 404, 500, 503]) func `returns error statuses as responses`(status: Int) async throws {
        _ = try await send(HTTPClient(), .post(url("/__put?path=/error&status=\(status)"), Array("why".utf8)))
        let reply = try await send(HTTPClient(), .get(url("/error")))
        #expect(reply.status == status)
        #expect(String(decoding: reply.body, as: UTF8.self) == "why")
    }

    @Test(arguments: ["/big?bytes=10001", "/stream?bytes=10001", "/stream?bytes=100000000", "/hugehead"])
    func `gives up on what is too large, announced or not`(path: String) async {
        var client = HTTPClient()
        client.maximumBodyBytes = 10_000
        #expect(await failure(client, .get(url(path))) == .tooLarge)
    }

    @Test(arguments: ["/slow", "/hang"]) func `gives up on what is too slow`(path: String) async {
        var client = HTTPClient()
        client.timeout = .milliseconds(300)
        let stopwatch = Stopwatch()
        #expect(await failure(client, .get(url(path))) == .timeout)
        #expect(stopwatch.elapsed < .seconds(8))
    }

    @Test func `gives up on a handshake that hangs`() async {
        var client = HTTPClient()
        client.connectTimeout = .milliseconds(300)
        #expect(await failure(client, .get(url("/", "mute"))) == .timeout)
    }

    @Test(arguments: [("/half", OutboundError.noConnection), ("/nothing", .noConnection), ("/garbage", .badAnswer)])
    func `refuses incomplete responses and other protocols`(path: String, error: OutboundError) async {
        #expect(await failure(HTTPClient(), .get(url(path))) == error)
    }

    @Test func `distinguishes unreachable hosts, unknown names and missing TLS`() async {
        #expect(await failure(HTTPClient(), .get("http://127.0.0.1:1/")) == .noConnection)
        var direct = HTTPClient()
        direct.usesProxy = false
        #expect(await failure(direct, .get("https://no-such-host.invalid/")) == .unknownHost)
        #expect(await failure(HTTPClient(), .get("https://localhost:\(server.port("http"))/")) == .noTLS)
    }

    @Test func `uses plain http for this machine only, unless allowed`() async {
        #expect(await failure(HTTPClient(), .get("http://id.example/")) == .plainText)
        #expect(await failure(HTTPClient(), .get(url("/redirect?to=http://id.example/"))) == .plainText)
        var client = HTTPClient()
        client.allowsPlainHTTP = true
        client.usesProxy = false
        #expect(await failure(client, .get("http://no-such-host.invalid/")) == .unknownHost)
    }

    @Test func `follows three redirects and no fourth, and no loop`() async throws {
        #expect(try await send(HTTPClient(), .get(url("/steps/3"))).body == Array("arrived".utf8))
        #expect(await failure(HTTPClient(), .get(url("/steps/4"))) == .tooManyRedirects)
        #expect(await failure(HTTPClient(), .get(url("/loop"))) == .tooManyRedirects)
    }

    @Test(arguments: ["https://localhost/", "file:///etc/passwd", "ftp://localhost/", "gopher://localhost/"])
    func `follows no redirect to another scheme`(target: String) async {
        let error = await failure(HTTPClient(), .get(url("/redirect?to=\(target)")))
        #expect(error == .badRedirect || error == .badAddress)
    }

    @Test func `returns the redirect of a POST and does not follow it`() async throws {
        let reply = try await send(HTTPClient(), .post(url("/redirect?status=307&to=/echo"), [1]))
        #expect(reply.status == 307)
    }

    @Test func `sends headers for one server to no other`() async throws {
        let headers = [(name: "X-Key", value: "secret")]
        let same = try await send(HTTPClient(), .get(url("/redirect?to=/echo"), headers: headers))
        #expect(String(decoding: same.body, as: UTF8.self).contains("secret"))
        let elsewhere = "http://127.0.0.1:\(server.port("http"))/echo"
        let other = try await send(HTTPClient(), .get(url("/redirect?to=\(elsewhere)"), headers: headers))
        #expect(other.status == 200)
        #expect(!String(decoding: other.body, as: UTF8.self).contains("secret"))
    }

    @Test func `trusts no certificate that the system does not know, except where told`() async throws {
        let known = HTTPClient(trust: .systemAnd(file: server.certificateFile))
        #expect(await failure(HTTPClient(), .get(url("/big?bytes=1", "https"))) == .badCertificate)
        #expect(try await send(known, .get(url("/big?bytes=1", "https"))).status == 200)
        #expect(await failure(known, .get(url("/big?bytes=1", "other"))) == .badCertificate)
        #expect(try await send(HTTPClient(trust: .anyone), .get(url("/big?bytes=1", "other"))).status == 200)
        // Its certificate names localhost, not the address.
        let number = "https://127.0.0.1:\(server.port("https"))/big?bytes=1"
        #expect(await failure(known, .get(number)) == .badCertificate)
        let missing = HTTPClient(trust: .systemAnd(file: "/nowhere/ca.pem"))
        #expect(await failure(missing, .get(url("/big?bytes=1", "https"))) == .badAuthorities)
    }

    @Test func `refuses TLS older than 1 2`() async {
        #expect(await failure(HTTPClient(trust: .anyone), .get(url("/big?bytes=1", "old"))) == .noTLS)
    }

    @Test(arguments: [
        ("X-A", "b\r\nX-Evil: 1"), ("X-A", "b\nX"), ("X A", "b"), ("X:A", "b"), ("", "b"), ("X\r\n", "b"),
    ])
    func `refuses fields that could inject another`(name: String, value: String) async {
        #expect(await failure(HTTPClient(), .get(url("/echo"), headers: [(name, value)])) == .badField)
    }

    @Test func `is used by many threads at once`() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 { group.addTask { try await send(HTTPClient(), .get(url("/big?bytes=5000"))).body.count } }
            for try await size in group { #expect(size == 5000) }
        }
    }
}
