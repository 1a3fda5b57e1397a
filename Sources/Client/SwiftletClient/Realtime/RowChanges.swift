import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Changes of a table's rows as they are committed, each row to whom may see it: nothing is lost and nothing comes twice.
///
///     let changes = RowChanges<Todo>(client, table: "todos", since: lastPosition)
///     for try await change in changes {
///         switch change.kind {
///         case .ready: break
///         case .insert(let todo), .update(let todo, _): show(todo)
///         case .delete(let old): hide(try old.decode(TodoKey.self).id)
///         case .reset: try await readAll()
///         }
///         lastPosition = change.position
///     }
///
/// When the connection breaks, or the app was suspended, it opens again behind the last change, with a fresh token if need
/// be. It ends with the task, or by throwing an ``APIError`` that another attempt would not mend.
public struct RowChanges<Row: Decodable & Sendable>: AsyncSequence, Sendable {
    private let client: APIClient
    private let query: [URLQueryItem]
    private let since: String?
    private let transport: any StreamingTransport

    /// `filter` is as `team=eq.a`, several with commas; `select` names columns, with commas. `since` is the
    /// ``RowChange/position`` of the last change that was handled, also by an earlier run of the app.
    public init(
        _ client: APIClient,
        table: String,
        schema: String = "public",
        filter: String? = nil,
        select: String? = nil,
        since: String? = nil,
        transport: any StreamingTransport = URLSessionStreaming()
    ) {
        var query = Query()
        query.add("table", table)
        query.add("schema", schema)
        query.add("filter", filter)
        query.add("select", select)
        self.client = client
        self.query = query.items
        self.since = since
        self.transport = transport
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(client: client, query: query, transport: transport, position: since)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let client: APIClient
        let query: [URLQueryItem]
        let transport: any StreamingTransport
        var position: String?
        private var body: AsyncThrowingStream<Data, any Error>?
        private var parser = EventStreamParser()
        private var waiting: ArraySlice<EventStreamParser.Event> = []
        private var failures = 0

        init(client: APIClient, query: [URLQueryItem], transport: any StreamingTransport, position: String?) {
            self.client = client
            self.query = query
            self.transport = transport
            self.position = position
        }

        public mutating func next() async throws -> RowChange<Row>? {
            while true {
                try Task.checkCancellation()
                if let event = waiting.popFirst() {
                    if let change = try change(event) { return change }
                    continue
                }
                do {
                    guard let body else {
                        if let reset = try await open() { return reset }
                        continue
                    }
                    // Iterators of one stream continue each other.
                    var parts = body.makeAsyncIterator()
                    guard let data = try await parts.next() else { throw URLError(.networkConnectionLost) }
                    waiting = try parser.feed(data)[...]
                    // What arrives shows that the connection is good.
                    failures = 0
                } catch {
                    body = nil
                    try await wait(after: error)
                }
            }
        }

        /// Opens the stream behind the position. Returns a reset if the server does not reach back so far.
        private mutating func open() async throws -> RowChange<Row>? {
            let session = try await client.keeper.current()
            var (response, stream) = try await answer(session)
            if response.statusCode == 401, let session {
                (response, stream) = try await answer(try await client.keeper.refreshed(after: session))
            }
            if response.statusCode == 410, position != nil {
                position = nil
                return RowChange(kind: .reset, position: nil, committed: nil)
            }
            guard response.statusCode == 200 else {
                var content = Data()
                for try await part in stream where content.count < 65_536 { content += part }
                throw APIError(content, response)
            }
            parser = EventStreamParser()
            body = stream
            return nil
        }

        private func answer(
            _ session: Session?
        ) async throws -> (HTTPURLResponse, AsyncThrowingStream<Data, any Error>) {
            var endpoint = APIEndpoint(.get, "/realtime/v1/changes", query: query, requiresAuth: session != nil)
            endpoint.headers["Accept"] = "text/event-stream"
            endpoint.headers["Last-Event-ID"] = position
            if session == nil, let key = client.configuration.apiKey {
                endpoint.headers["Authorization"] = "Bearer \(key)"
            }
            return try await transport.open(try client.wire.request(endpoint, session))
        }

        private mutating func change(_ event: EventStreamParser.Event) throws -> RowChange<Row>? {
            position = event.id ?? position
            if event.name == "ready" { return RowChange(kind: .ready, position: position, committed: nil) }
            if event.name == "reset" { return RowChange(kind: .reset, position: position, committed: nil) }
            let data = Data(event.data.utf8)
            guard ["INSERT", "UPDATE", "DELETE"].contains(event.name) else { return nil }
            let told = try APIClient.decode(ChangeEvent<Row>.self, from: data)
            let kind: RowChange<Row>.Kind? =
                switch (event.name, told.record) {
                case ("INSERT", let row?): .insert(row)
                case ("UPDATE", let row?): .update(row, old: ChangeEvent<Row>.old(in: data))
                case ("DELETE", _): .delete(ChangeEvent<Row>.old(in: data))
                default: nil
                }
            return kind.map { RowChange(kind: $0, position: position, committed: told.committed) }
        }

        /// Waits before the stream is opened again. Rethrows what that would not mend.
        private mutating func wait(after error: any Error) async throws {
            switch error {
            case is CancellationError: throw error
            case let error as URLError where error.code == .cancelled: throw CancellationError()
            case let error as APIError:
                guard error == .network || error.isTemporary else { throw error }
            case is URLError, is EventStreamParser.TooLong: break
            default: throw error
            }
            failures += 1
            // Up to half a minute, and not all apps at once.
            let longest = Swift.min(30, 0.5 * Double(1 << Swift.min(failures - 1, 6)))
            try await client.configuration.retry.sleep(Double.random(in: longest / 2...longest))
        }
    }
}

extension APIError {
    fileprivate var isTemporary: Bool {
        switch self {
        case .server, .rateLimited, .sessionUnreadable: true
        default: false
        }
    }
}
