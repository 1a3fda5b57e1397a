import SwiftletHTTP
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletWeb

@Suite(
    .needsDatabase,
    .hangLimit
)
struct RequestLogTests {
    @Test func `a path cannot begin a line of text, nor command the terminal`() async throws {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.text) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let server = try await TestApplication.start([], requestLog: RequestLog(.text, to: sink))
        for path in ["/a%0Ab", "/a%0D%0Ab", "/a%1B%5B2Jb", "/a%7Fb", "/a%C2%85b", "/a%C2%9B2Jb"] {
            _ = try await server.send(.get, path)
            _ = server.application.refusalResponse(.requestTimeout, "Late.", from: "::1", try Request(target: path))
        }
        await server.stop()
        sink.flush(within: .seconds(5))
        let text = String(decoding: written.withLock(\.self), as: UTF8.self)
        let lines = text.unicodeScalars.split(separator: "\n").map { String($0) }
        #expect(lines.count == 12)
        for line in lines {
            #expect(line.contains(" GET     /a?") || line.contains(" 408 refused GET /a?"))
            #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }

    @Test func `a secret in a path is in no line, whatever becomes of the request`() async throws {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.json) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let function = Function("keys") { Delete("/:token/use") { _, _ in Response() }.open() }
        let server = try await TestApplication.start([function], requestLog: RequestLog(.json, to: sink))
        for (method, path) in [
            (Method.delete, "/keys/hunter2/use"), (.get, "/keys/hunter2/use"), (.options, "/api/keys/hunter2/use"),
            (.delete, "/keys/hunter2"), (.delete, "//keys/hunter2/use/"),
        ] {
            _ = try await server.send(method, path, headers: [("Origin", "https://app.example")])
            let request = try Request(method: method, target: path)
            _ = server.application.refusalResponse(.requestTimeout, "Late.", from: "::1", request)
        }
        await server.stop()
        sink.flush(within: .seconds(5))
        let lines = String(decoding: written.withLock(\.self), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines.allSatisfy { !$0.contains("hunter2") && $0.contains("/keys/") }, "\(lines)")
        #expect(lines.first?.contains(#""path":"/keys/:token/use""#) == true)
    }

    @Test func `an answer that is withheld is one line, and says so`() async throws {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.text) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let large = Response(body: Array(repeating: UInt8(ascii: "x"), count: 600_000))
        let function = Function("large") {
            Get("/") { _, _ in large }.open()
        }
        let server = try await TestApplication.start([function], requestLog: RequestLog(.text, to: sink))
        let request = try Request(target: "/large")
        #expect(await server.application.answer(request).status == .ok)
        let withheld = server.application.withheldResponse(to: request, "Too many.")
        #expect(withheld.status == .serviceUnavailable)
        #expect(withheld.headers[.retryAfter] != nil)
        server.application.end(request, with: withheld)
        // Once more is no second line.
        server.application.end(request, with: withheld)
        let metrics = try await server.send(.get, "/metrics").body
        let counts = #"swiftlet_requests_total{function="large",method="GET",status="503"} 1"#
        #expect(String(decoding: metrics, as: UTF8.self).contains(counts))
        await server.stop()
        sink.flush(within: .seconds(5))
        let lines = String(decoding: written.withLock(\.self), as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0.contains("/large") } == 1)
        #expect(lines.first?.contains(" 503 ") == true, "\(lines)")
    }
}
