public import SwiftletJSON
public import SwiftletOutbound

/// Calls of a request to other services, as `context.http`:
///
///     let response = try await context.http.get("https://api.example.com/rates")
///     guard response.isSuccess else { throw APIError(.badGateway, "NO_RATES", "There are no rates today.") }
///     let rates = try response.decode(Rates.self)
///
/// A status of any kind is a response; only its absence throws, as ``HTTPFailure``. A failure that is not caught becomes
/// 502 `UPSTREAM_FAILED`, or 504 `UPSTREAM_TIMEOUT`. A call ends when the client is gone or the request takes too long.
/// No redirect is followed unless ``HTTPRequest/redirects`` says so, and private addresses are refused
/// (`HTTP_ALLOW_PRIVATE`). `X-Request-ID` and `traceparent` go with each call.
public struct OutgoingHTTP: Sendable {
    private let engine: HTTPEngine?
    private let state: RequestState

    init(_ engine: HTTPEngine?, _ state: RequestState) {
        self.engine = engine
        self.state = state
    }

    public func get(
        _ url: String,
        headers: [(name: String, value: String)] = []
    ) async throws(HTTPFailure) -> HTTPResponse {
        try await send(HTTPRequest("GET", url, headers: headers))
    }

    public func delete(
        _ url: String,
        headers: [(name: String, value: String)] = []
    ) async throws(HTTPFailure) -> HTTPResponse {
        try await send(HTTPRequest("DELETE", url, headers: headers))
    }

    public func post(
        _ url: String,
        json: JSONValue,
        headers: [(name: String, value: String)] = []
    ) async throws(HTTPFailure) -> HTTPResponse {
        try await send("POST", url, json: json, headers: headers)
    }

    /// The same with any method: `send("PUT", url, json: …)`.
    public func send(
        _ method: String,
        _ url: String,
        json: JSONValue,
        headers: [(name: String, value: String)] = []
    ) async throws(HTTPFailure) -> HTTPResponse {
        var writer = JSONWriter()
        writer.write(json)
        return try await send(.json(method, url, writer.finish(), headers: headers))
    }

    /// Sends the request and returns the response with its whole body.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let start = state.server.clock.nanoseconds()
        defer { state.addCall(nanoseconds: state.server.clock.nanoseconds() &- start) }
        if let answer = state.server.values[HTTPOverride.self] { return try await answer(traced(request)) }
        return try await usable.send(traced(request))
    }

    /// Reads a long body while it arrives:
    ///
    ///     try await context.http.stream(request) { response in
    ///         for try await bytes in response { … }
    ///     }
    ///
    /// A stream follows no redirects. ``HTTPRequest/maximumBodyBytes`` and ``HTTPRequest/timeout`` are its limits too.
    public func stream<Result>(
        _ request: HTTPRequest,
        _ read: (HTTPStream) async throws -> Result
    ) async throws -> Result {
        let start = state.server.clock.nanoseconds()
        defer { state.addCall(nanoseconds: state.server.clock.nanoseconds() &- start) }
        let stream = try await usable.open(traced(request))
        defer { stream.close() }
        return try await read(stream)
    }

    private var usable: HTTPEngine {
        get throws(HTTPFailure) {
            guard let engine else { throw .unavailable }
            return engine
        }
    }

    private func traced(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        let names = Set(request.headers.map { $0.name.lowercased() })
        if !names.contains("x-request-id") { request.headers.append(("X-Request-ID", state.id)) }
        if let parent = state.traceParent, !names.contains("traceparent") {
            request.headers.append(("traceparent", parent))
        }
        return request
    }
}

extension HTTPRequest {
    static func json(
        _ method: String,
        _ url: String,
        _ body: [UInt8],
        headers: [(name: String, value: String)]
    ) -> HTTPRequest {
        let isTyped = headers.contains { $0.name.lowercased() == "content-type" }
        return HTTPRequest(
            method,
            url,
            body: body,
            headers: isTyped ? headers : headers + [("Content-Type", "application/json")]
        )
    }
}

extension HTTPResponse {
    /// The body as JSON. Throws ``HTTPFailure/unreadable`` if it is none.
    public func json() throws(HTTPFailure) -> JSONValue {
        guard let value = try? JSONParser.parse(body, maximumDepth: JSONParser.depthLimit) else { throw .unreadable }
        return value
    }
}

/// Answers the calls of ``OutgoingHTTP`` in place of other services, streams excepted: for tests.
///
///     values[HTTPOverride.self] = { _ in HTTPResponse(status: 200) }
public enum HTTPOverride: ContextKey {
    public static let defaultValue: (@Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse)? = nil
}
