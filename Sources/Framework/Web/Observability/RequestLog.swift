import SwiftletAuth

/// Formats one line per request, as JSON or as aligned text, and hands it to a ``LogSink``.
package struct RequestLog: Sendable {
    package enum Format: Sendable {
        case json
        case text
    }

    /// A response to bytes that never became a complete request.
    struct RefusedRequest {
        let requestID: String
        let status: Status
        let reason: String
        let remoteAddress: String
        /// nil if not even its head was valid.
        let request: Request?
        let path: String
    }

    private let format: Format
    private let sink: LogSink
    /// Gets each line as JSON.
    private let ring: LogRing?

    package init(_ format: Format, to sink: LogSink, and ring: LogRing? = nil) {
        self.format = format
        self.sink = sink
        self.ring = ring
    }

    func write(
        _ state: RequestState,
        _ request: Request,
        _ response: Response,
        nanoseconds: UInt64,
        at milliseconds: Int
    ) {
        if let ring {
            let line = json(state, request, response, nanoseconds: nanoseconds, at: milliseconds)
            ring.add(line)
            if format == .json { return sink.write(line) }
        }
        switch format {
        case .json: sink.write(json(state, request, response, nanoseconds: nanoseconds, at: milliseconds))
        case .text: sink.write(text(state, request, response, nanoseconds: nanoseconds, at: milliseconds))
        }
    }

    func write(_ refused: RefusedRequest, at milliseconds: Int) {
        let time = UTCTime(milliseconds: milliseconds).text
        let json = ring == nil && format == .text ? [] : json(refused, time)
        ring?.add(json)
        switch format {
        case .json: sink.write(json)
        case .text:
            let status = refused.status.rawValue
            let target = refused.request.map { " \($0.method.rawValue) \(refused.path.withoutControls)" } ?? ""
            let head = "\(time.dropFirst(11)) \(status) refused\(target): "
            sink.write(Array("\(head)\(refused.reason)  \(refused.requestID)\n".utf8))
        }
    }

    private func json(_ refused: RefusedRequest, _ time: String) -> [UInt8] {
        var line = JSONWriter(minimumCapacity: 256)
        line.beginObject()
        line.member("time", time)
        line.member("level", "info")
        line.member("message", "refused")
        line.member("request_id", refused.requestID)
        if let request = refused.request {
            line.member("method", request.method.rawValue)
            line.member("path", refused.path)
        }
        line.member("status", refused.status.rawValue)
        line.member("reason", refused.reason)
        line.member("remote", refused.remoteAddress)
        if let parent = refused.request.flatMap(TraceParent.take) { line.member("traceparent", parent) }
        line.endObject()
        line.writeRaw("\n")
        return line.finish()
    }

    /// Never logs query values, bodies or tokens.
    private func json(
        _ state: RequestState,
        _ request: Request,
        _ response: Response,
        nanoseconds: UInt64,
        at milliseconds: Int
    ) -> [UInt8] {
        var line = JSONWriter(minimumCapacity: 512)
        line.writeRaw(#"{"time":"#)
        UTCTime(milliseconds: milliseconds).write(to: &line)
        line.writeRaw(#","level":"info","message":"request""#)
        line.member("request_id", state.id)
        line.member("method", request.method.rawValue)
        line.member("path", state.loggedPath ?? request.path)
        line.member("function", state.endpoint.name)
        line.member("status", response.status.rawValue)
        line.member("duration_us", Int(nanoseconds / 1_000))
        line.member("db_us", Int(state.databaseNanoseconds / 1_000))
        if state.calls > 0 {
            line.member("http_calls", state.calls)
            line.member("http_us", Int(state.callNanoseconds / 1_000))
        }
        line.member("rows", state.rows)
        line.member("bytes", response.body.count)
        let (user, tenant) = state.loggedCaller
        if let tenant { line.member("tenant", tenant) }
        // A service key belongs to nobody.
        if let user, !user.isEmpty { line.member("user", user) }
        line.member("remote", request.remoteAddress)
        if let parent = state.traceParent { line.member("traceparent", parent) }
        if let trace = state.trace { line.member("trace_id", trace.context.traceID) }
        line.endObject()
        line.writeRaw("\n")
        return line.finish()
    }

    private func text(
        _ state: RequestState,
        _ request: Request,
        _ response: Response,
        nanoseconds: UInt64,
        at milliseconds: Int
    ) -> [UInt8] {
        let time = UTCTime(milliseconds: milliseconds).text.dropFirst(11)
        let microseconds = String(nanoseconds / 1_000)
        let padding = String(repeating: " ", count: max(0, 8 - microseconds.utf8.count))
        let method = request.method.rawValue.padded(to: 7)
        let head = "\(time) \(response.status.rawValue) \(padding)\(microseconds) us  \(method) "
        let path = state.loggedPath ?? request.path
        return Array("\(head)\(path.withoutControls)  \(state.id)\n".utf8)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - utf8.count))
    }
}
