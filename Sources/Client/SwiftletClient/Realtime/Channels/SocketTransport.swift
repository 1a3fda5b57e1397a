#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Opens WebSockets: the seam between ``RealtimeClient`` and the network.
public protocol SocketTransport: Sendable {
    /// Throws a `URLError` if the server cannot be reached or refuses.
    func connect(_ request: URLRequest) async throws -> any SocketConnection
}

/// One open WebSocket. `receive` is called by one task at a time.
public protocol SocketConnection: Sendable {
    func send(_ text: String) async throws
    /// The next text message; throws when the connection has ended.
    func receive() async throws -> String
    func close() async
}

#if canImport(Darwin)
/// WebSockets by `URLSession`.
public struct URLSessionSockets: SocketTransport {
    public init() {}

    public func connect(_ request: URLRequest) async throws -> any SocketConnection {
        let session = URLSession(configuration: .ephemeral)
        let task = session.webSocketTask(with: request)
        // The server sends up to a megabyte, beside what it is wrapped in.
        task.maximumMessageSize = 2 << 20
        task.resume()
        return URLSessionConnection(session: session, task: task)
    }
}

private struct URLSessionConnection: SocketConnection {
    let session: URLSession
    let task: URLSessionWebSocketTask

    func send(_ text: String) async throws { try await task.send(.string(text)) }

    func receive() async throws -> String {
        while true {
            if case .string(let text) = try await task.receive() { return text }
        }
    }

    func close() async {
        task.cancel(with: .goingAway, reason: nil)
        session.invalidateAndCancel()
    }
}
#endif
