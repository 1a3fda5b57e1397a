import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
package import SwiftletWeb
import Synchronization

/// `GET /realtime/v1/changes`: changes of a table as server-sent events (WHATWG HTML §9.2), from a position on.
///
/// Each event's id is its position, so that a client that comes back with `Last-Event-ID` misses nothing and gets nothing
/// twice. Where the log does not reach back so far, the answer is 410, or in a running stream `event: reset`: the client
/// must read its rows anew.
package struct ChangeEvents: Sendable {
    /// Between comments that keep the connection open.
    private static let commentInterval = Duration.seconds(15)

    let hub: ChangeHub

    package init(hub: ChangeHub) { self.hub = hub }

    /// For every valid key: row security decides what it sees.
    package var route: Route { Route(.get, "/v1/changes", handler: answer).anyKey() }

    @Sendable private func answer(_ request: Request, _ context: Context) async throws -> Response {
        let user = try context.user
        let wish = try ChangeRequest(query: request.query)
        let queue = EventQueue()
        let cursor = try Self.cursor(of: request)
        let subscriber: ChangeSubscriber
        do {
            subscriber = try await hub.subscribe(to: [wish], as: ChangeCaller(user), after: cursor) { queue.add($0) }
        } catch let error as ChangeRequestError {
            throw error.message.contains("does not exist")
                ? APIError(.notFound, "NOT_FOUND", error.message)
                : APIError(.badRequest, "INVALID_SUBSCRIPTION", error.message)
        } catch let error as ChangeCursorError {
            throw APIError(error)
        }
        let start = subscriber.position
        var headers = Headers()
        headers.append(.contentType, "text/event-stream")
        headers.append("Cache-Control", "no-store")
        headers.append("X-Accel-Buffering", "no")
        let expires = user.expires
        return Response(headers: headers) { writer in
            defer { hub.remove(subscriber) }
            try await writer.write(Self.event("ready", start, Array("{}".utf8)))
            try await write(queue, subscriber, to: writer) {
                if context.hasEnded(user) { return true }
                return expires.map { Double(ServerClock.system.milliseconds()) / 1000 >= $0 } ?? false
            }
        }
    }

    private func write(
        _ queue: EventQueue,
        _ subscriber: ChangeSubscriber,
        to writer: ResponseWriter,
        until isOver: () -> Bool
    ) async throws {
        let ticker = EventLoop.current.map { EventTicker(on: $0, every: Self.commentInterval) { queue.wake() } }
        defer { ticker?.stop() }
        while true {
            let (deliveries, hasRefused) = await queue.next()
            try Task.checkCancellation()
            // The client comes back with a new token, if it gets one.
            if isOver() { return }
            var bytes: [UInt8] = []
            for delivery in deliveries { bytes += Self.event(delivery) }
            try await writer.write(bytes.isEmpty ? Array(":\n\n".utf8) : bytes)
            if hasRefused { subscriber.resume() }
        }
    }

    private static func cursor(of request: Request) throws(APIError) -> ChangePosition? {
        let text = request.header("Last-Event-ID") ?? request.query["since"]
        guard let text, !text.isEmpty else { return nil }
        guard let position = ChangePosition(text) else { throw APIError(ChangeCursorError.invalid) }
        return position
    }

    private static func event(_ delivery: ChangeDelivery) -> [UInt8] {
        switch delivery {
        case .change(let position, let kind, _, let data): event(kind, position, data)
        case .reset(let position): event("reset", position, Array("{}".utf8))
        }
    }

    /// JSON has no line breaks of its own, so the data is one line.
    private static func event(_ name: String, _ position: ChangePosition, _ data: [UInt8]) -> [UInt8] {
        Array("event: \(name)\nid: \(position)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
}

/// Calls at an interval, on its loop, until it is stopped.
private final class EventTicker: Sendable {
    private let isStopped = Atomic(false)
    private let loop: EventLoop
    private let interval: Duration
    private let action: @Sendable () -> Void

    init(on loop: EventLoop, every interval: Duration, _ action: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.interval = interval
        self.action = action
        loop.execute { [self] in schedule() }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func schedule() {
        _ = loop.schedule(after: interval) { [self] in
            guard !isStopped.load(ordering: .relaxed) else { return }
            action()
            schedule()
        }
    }
}

extension ChangeRequest {
    fileprivate init(query: Query) throws(APIError) {
        guard let table = query["table"], !table.isEmpty else {
            throw APIError(.badRequest, "INVALID_SUBSCRIPTION", "table is missing")
        }
        self.init(
            event: query["event"] ?? "*",
            schema: query["schema"] ?? "public",
            table: table,
            filter: query["filter"].flatMap { $0.isEmpty ? nil : $0 },
            select: query["select"]?.split(separator: ",").map(String.init)
        )
    }
}

extension APIError {
    fileprivate init(_ error: ChangeCursorError) {
        switch error {
        case .invalid: self.init(.badRequest, "INVALID_CURSOR", "The position is none of this server's.")
        case .expired:
            self.init(Status.gone, "CURSOR_EXPIRED", "Changes are not kept so long: read the rows anew.")
        case .unread:
            self.init(.serviceUnavailable, "CHANGES_UNAVAILABLE", "Changes are not read yet: try again later.")
        case .unavailable:
            self.init(.serviceUnavailable, "CHANGES_UNAVAILABLE", "No changes are read here.")
        }
    }
}
