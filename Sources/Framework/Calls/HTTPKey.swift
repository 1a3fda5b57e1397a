public import SwiftletOutbound
public import SwiftletWeb

extension Context {
    /// Calls to other services: `try await context.http.get("https://…")`. They end with the request, and the log says
    /// how many there were and how long they took.
    public var http: OutgoingHTTP { OutgoingHTTP(self) }
}

/// With what functions call other services; nil where they may not.
package enum HTTPKey: ContextKey {
    package static let defaultValue: HTTPEngine? = nil
}

/// Answers the calls of ``OutgoingHTTP`` in place of other services, streams excepted: for tests.
///
///     values[HTTPOverride.self] = { _ in HTTPResponse(status: 200) }
public enum HTTPOverride: ContextKey {
    public static let defaultValue: (@Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse)? = nil
}
