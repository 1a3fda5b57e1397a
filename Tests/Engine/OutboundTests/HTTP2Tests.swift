import SwiftletEventLoop
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletOutbound

@Suite(.enabled(if: Python.hasPackages, "run .ci/setup test"), .serialized, .hangLimit)
struct HTTP2Tests {
    private let server: PythonServer

    init() throws { server = try PythonServer.start("h2_server.py") }

    private func url(_ path: String) -> String { "https://localhost:\(server.port("h2"))\(path)" }

    private func with(_ body: (HTTPEngine) async throws -> Void) async throws {
        let group = try EventLoopGroup.start(count: 1)
        var settings = HTTPEngine.Settings()
        settings.allowsPrivateAddresses = true
        settings.trust = .systemAnd(file: server.certificateFile)
        let engine = HTTPEngine(group.loops, settings)
        let result: Result<Void, any Error>
        do { result = .success(try await body(engine)) } catch { result = .failure(error) }
        await engine.shutdown()
        group.stop()
        try result.get()
    }

    private func plan(_ engine: HTTPEngine, _ path: String, _ answers: String) async throws {
        let body = Array(#"{"answers":[\#(answers)]}"#.utf8)
        #expect(try await engine.send(HTTPRequest("POST", url("/__put?path=\(path)"), body: body)).status == 200)
    }

    private func seen(_ engine: HTTPEngine, _ path: String) async throws -> [JSONValue] {
        try JSONParser.parse(try await engine.send(.init("GET", url("/__seen?path=\(path)"))).body).array ?? []
    }

    @Test func `many requests at once share one connection`() async throws {
        try await with { engine in
            try await plan(engine, "/slow", #"{"delay":0.1}"#)
            let address = url("/slow")
            let responses = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for _ in 0..<50 { group.addTask { try await engine.send(HTTPRequest("GET", address)) } }
                return try await group.reduce(into: [HTTPResponse]()) { $0.append($1) }
            }
            #expect(responses.count == 50)
            let areAllHTTP2 = responses.allSatisfy { $0.status == 200 && $0.isHTTP2 }
            #expect(areAllHTTP2)
            #expect(Set(try await seen(engine, "/slow").compactMap { $0["connection"]?.int }).count == 1)
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func `speaks every method, with and without a body`(method: String) async throws {
        try await with { engine in
            try await plan(engine, "/method", "{}")
            for text in ["", "content"] {
                _ = try await engine.send(HTTPRequest(method, url("/method"), body: Array(text.utf8)))
            }
            let requests = try await seen(engine, "/method")
            #expect(requests.map { $0["headers"]?[":method"]?.string } == [method, method])
            #expect(requests.map { $0["body"]?.string } == ["", "content"])
        }
    }

    @Test(arguments: ["PUT", "POST"])
    func `a request that a leaving server has refused goes out again on a new connection`(method: String) async throws {
        try await with { engine in
            try await plan(engine, "/leaving", #"{"action":"goaway"},{"status":200,"body":"here"}"#)
            var request = HTTPRequest(method, url("/leaving"), body: Array("push".utf8))
            request.isRepeatable = true
            let response = try await engine.send(request)
            #expect(response.text == "here")
            let requests = try await seen(engine, "/leaving")
            #expect(requests.count == 2)
            #expect(requests[0]["connection"]?.int != requests[1]["connection"]?.int)
            #expect(requests[1]["body"] == "push")
        }
    }

    @Test func `a connection that is broken off is a failure, and the next request has a new one`() async throws {
        try await with { engine in
            try await plan(engine, "/broken", #"{"action":"close"},{"status":200}"#)
            let first = await #expect(throws: HTTPFailure.self) {
                try await engine.send(HTTPRequest("GET", url("/broken")))
            }
            #expect(first?.isTemporary == true)
            let second = try await engine.send(HTTPRequest("GET", url("/broken")))
            #expect(second.status == 200)
        }
    }
}
