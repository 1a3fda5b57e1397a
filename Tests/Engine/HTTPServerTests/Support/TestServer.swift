import Dispatch
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletTesting
import Synchronization

@testable import SwiftletHTTPServer

/// A running server and what its handler has seen.
final class TestServer: Sendable {
    let server: HTTPServer
    let group: EventLoopGroup
    let log: Log
    /// What each client has got, as `GET /large 200`.
    let ends: Log

    final class Log: Sendable {
        private let entries = Mutex<[String]>([])

        var all: [String] { entries.withLock { $0 } }

        func add(_ entry: String) {
            entries.withLock { $0.append(entry) }
        }

        /// Waits until an entry is there; false after twenty seconds.
        func waits(for entry: String) -> Bool {
            eventually { all.contains(entry) }
        }
    }

    var port: Int { server.localPort }

    private init(server: HTTPServer, group: EventLoopGroup, log: Log, ends: Log) {
        self.server = server
        self.group = group
        self.log = log
        self.ends = ends
    }

    static func start(
        _ poller: PollerKind,
        loops: Int = 1,
        _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.lingerTimeout = .milliseconds(500)
        configure(&configuration)
        let group = try EventLoopGroup.start(count: loops, poller: poller)
        let log = Log()
        let ends = Log()
        let handler = HTTPHandler(
            respond: { await respond($0, log) },
            refuseContent: { request in
                Response(status: .contentTooLarge, body: Array("too large for \(request.path)".utf8))
            },
            streamingLimit: { $0.path.hasPrefix("/upload") ? 3_000_000 : nil },
            refuse: { refusal in
                var response = Response(status: refusal.status, body: Array("refused: \(refusal.reason)".utf8))
                if let request = refusal.request { response.headers.append("X-Refused", request.path) }
                return response
            },
            ended: { ends.add("\($0.method.rawValue) \($0.path) \($1.status.rawValue)") }
        )
        do {
            return TestServer(
                server: try HTTPServer.start(configuration, on: group, handler: handler),
                group: group,
                log: log,
                ends: ends
            )
        } catch {
            group.stop()
            throw error
        }
    }

    /// Begins to shut down, and returns what is signalled at the end.
    func beginShutdown(grace: Duration) -> DispatchSemaphore {
        let isOver = DispatchSemaphore(value: 0)
        server.beginShutdown(grace: grace) { isOver.signal() }
        return isOver
    }

    func stop() async {
        await server.shutdown(grace: .milliseconds(200))
        group.stop()
    }

    /// `/echo` gives the body back, `/gate` waits until the log says `open`, `/block` blocks the loop until then,
    /// `/wait` waits for `delay` milliseconds, `/large` is `bytes` long and may wait as well.
    private static func respond(_ request: Request, _ log: Log) async -> Response {
        log.add("\(request.method.rawValue) \(request.path)")
        switch request.path {
        case "/echo": return Response(body: request.body)
        case "/wait":
            do {
                try await Task.sleep(for: .milliseconds(Int(request.query["delay"] ?? "") ?? 0))
            } catch {
                log.add("cancelled")
            }
            return Response(body: Array("waited".utf8))
        case "/gate":
            while !log.all.contains("open") { try? await Task.sleep(for: .milliseconds(2)) }
            return Response(body: Array("passed".utf8))
        case "/block":
            while !log.all.contains("open") { pause(.milliseconds(1)) }
            return Response(body: Array("passed".utf8))
        case "/large":
            if let delay = request.query["delay"] { try? await Task.sleep(for: .milliseconds(Int(delay) ?? 0)) }
            return Response(body: Array(repeating: UInt8(ascii: "x"), count: Int(request.query["bytes"] ?? "") ?? 0))
        case "/upload": return await upload(request, log)
        case "/upload/unread": return Response(status: .unauthorized)
        case "/stream": return stream(request, log)
        case "/socket": return webSocket(request, log)
        default: return Response(body: Array(request.path.utf8))
        }
    }

    /// ``EchoSession``; the limits may be set by the query.
    private static func webSocket(_ request: Request, _ log: Log) -> Response {
        guard let accept = try? WebSocketHandshake.accept(request) else { return Response(status: .badRequest) }
        func number(_ name: String) -> Int? { request.query[name].flatMap { Int($0) } }
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = number("message") ?? 100_000
        limits.maximumFragments = number("fragments") ?? limits.maximumFragments
        limits.maximumUnsentBytes = number("unsent") ?? limits.maximumUnsentBytes
        if let idle = number("idle") { limits.idleTimeout = .milliseconds(idle) }
        if let send = number("send") { limits.sendTimeout = .milliseconds(send) }
        var response = Response(status: 101)
        response.headers.append("X-Answer", "42")
        response.upgrade = WebSocketUpgrade(accept: accept, limits: limits) { EchoSession($0, log) }
        return response
    }

    /// Tells how much has arrived, and its sum.
    private static func upload(_ request: Request, _ log: Log) async -> Response {
        var count = 0
        var sum = 0
        do {
            for try await chunk in request.bodyChunks {
                count += chunk.count
                sum = chunk.reduce(sum) { $0 &+ Int($1) }
                if request.query["slow"] != nil { try await Task.sleep(for: .milliseconds(1)) }
            }
            return Response(body: Array("\(count) \(sum)".utf8))
        } catch {
            log.add("\(error)")
            return Response(status: error as? RequestBodyError == .tooLarge ? .contentTooLarge : .badRequest)
        }
    }

    /// Pieces of 50 000 bytes; `fail` stops after half of them.
    private static func stream(_ request: Request, _ log: Log) -> Response {
        let bytes = Int(request.query["bytes"] ?? "") ?? 0
        let announced = request.query["length"].flatMap { Int($0) }
        return Response(contentLength: announced) { writer in
            var left = bytes
            do {
                while left > 0 {
                    let piece = min(left, 50_000)
                    try await writer.write(Array(repeating: UInt8(ascii: "y"), count: piece))
                    left -= piece
                    log.add("wrote")
                    if request.query["fail"] != nil, left <= bytes / 2 { throw ResponseStreamError.tooLong }
                }
            } catch {
                log.add("\(error)")
                throw error
            }
        }
    }
}

/// Starts a server, runs the body on a thread that may block, and stops the server.
func withServer(
    _ poller: PollerKind,
    loops: Int = 1,
    _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestServer) throws -> Void
) async throws {
    let server = try TestServer.start(poller, loops: loops, configure)
    let result = await blocking { Result { try body(server) } }
    await server.stop()
    try result.get()
}
