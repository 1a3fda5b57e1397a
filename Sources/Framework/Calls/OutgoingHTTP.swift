public import SwiftletJSON
public import SwiftletOutbound
import SwiftletWeb

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
    private let context: Context

    init(_ context: Context) { self.context = context }

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
        let start = context.server.clock.nanoseconds()
        let span = context.beginSpan()
        defer { context.addCall(since: start) }
        let sent = traced(request, span)
        do throws(HTTPFailure) {
            let response =
                if let answer = context[HTTPOverride.self] {
                    try await answer(sent)
                } else {
                    try await usable.send(sent)
                }
            span?.end(request, status: response.status)
            return response
        } catch {
            span?.end(request, status: nil)
            throw error
        }
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
        let start = context.server.clock.nanoseconds()
        defer { context.addCall(since: start) }
        let span = context.beginSpan()
        defer { span?.end(request, status: nil, isStream: true) }
        let stream = try await usable.open(traced(request, span))
        defer { stream.close() }
        return try await read(stream)
    }

    private var usable: HTTPEngine {
        get throws(HTTPFailure) {
            guard let engine = context[HTTPKey.self] else { throw .unavailable }
            return engine
        }
    }

    private func traced(_ request: HTTPRequest, _ span: OpenSpan?) -> HTTPRequest {
        var request = request
        let names = Set(request.headers.map { $0.name.lowercased() })
        if !names.contains("x-request-id") { request.headers.append(("X-Request-ID", context.requestID)) }
        if let parent = span?.context.header ?? context.traceParent, !names.contains("traceparent") {
            request.headers.append(("traceparent", parent))
        }
        return request
    }
}

extension OpenSpan {
    /// The address is recorded without its path and query, which may hold secrets. No status: there was no response.
    fileprivate func end(_ request: HTTPRequest, status: Int?, isStream: Bool = false) {
        let authority = request.url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first
        let host = authority?.prefix { $0 != "?" && $0 != "#" }.split(separator: "@").last.map(String.init) ?? ""
        var attributes: [(name: String, value: TraceSpan.Value)] = [
            ("http.request.method", .text(request.method)), ("server.address", .text(host)),
        ]
        if let status { attributes.append(("http.response.status_code", .integer(status))) }
        end(request.method, .client, attributes, isFailed: !isStream && (status ?? 500) >= 400)
    }
}
