import SwiftletHTTP

/// Turns the bytes of a connection into requests, and keeps bytes that cannot be used yet.
struct IncomingRequests: ~Copyable {
    /// What the bytes received so far amount to.
    enum Next {
        case incomplete
        case request(Request)
        /// The client waits for `100 Continue` before it sends the body.
        case awaitsContinue
        /// The body is too large: this is the request without it, and nothing after it is parsed.
        case tooLarge(Request)
        /// The bytes are malformed, so nothing after them can be parsed.
        case error(ParseError)
    }

    private var parser: RequestParser
    private var buffer = InputBuffer()
    /// The next request, when ``hasFurtherRequest()`` has already parsed it.
    private var found = Next.incomplete

    init(limits: RequestLimits, remoteAddress: String, streamingLimit: @escaping @Sendable (Request) -> Int?) {
        parser = RequestParser(limits: limits, remoteAddress: remoteAddress)
        parser.streamingLimit = streamingLimit
    }

    /// Whether content of a request that was given out is missing.
    var isStreaming: Bool { parser.isStreaming }
    /// Whether the content of the request that was given out is missing, now or for ever.
    var endsMidway: Bool { parser.isStreaming || parser.hasFailed }

    /// Moves kept bytes into the stream of the request that was given out. False when they are malformed or
    /// too many, which the stream's reader is told.
    mutating func stream() -> Bool {
        let kept = buffer
        var used = 0
        let next = Self.parse(kept.span, by: &parser, &used)
        buffer.consume(used)
        if case .error = next { return false }
        return true
    }

    var phase: RequestParser.Phase { parser.phase }
    /// What can be told of a head that is incomplete or refused.
    var unreadableHead: UnreadableHead { parser.unreadableHead(buffer.span) }
    var bufferedBytes: Int { buffer.count }
    /// How much content of an incomplete request is held.
    var bodyBytes: Int { parser.bodyBytes }
    /// Nothing is buffered, not even a part of a request.
    var isEmpty: Bool { buffer.isEmpty && !hasFound }

    private var hasFound: Bool {
        if case .incomplete = found { false } else { true }
    }

    /// Keeps the bytes for later.
    mutating func keep(_ bytes: borrowing Span<UInt8>) {
        buffer.append(bytes)
    }

    /// The next request from the kept bytes and these. Bytes that can be used at once are not copied.
    mutating func next(with bytes: borrowing Span<UInt8>) -> Next {
        guard isEmpty else {
            buffer.append(bytes)
            return next()
        }
        var used = 0
        let next = Self.parse(bytes, by: &parser, &used)
        buffer.append(bytes.extracting(used...))
        return next
    }

    /// The next request from the kept bytes.
    mutating func next() -> Next {
        if hasFound {
            defer { found = .incomplete }
            return found
        }
        var used = 0
        let kept = buffer
        let next = Self.parse(kept.span, by: &parser, &used)
        buffer.consume(used)
        return next
    }

    /// Whether another request has arrived, or at least an error that has to be answered.
    mutating func hasFurtherRequest() -> Bool {
        if hasFound { return true }
        guard !buffer.isEmpty else { return false }
        found = next()
        // Its body is not going to be waited for.
        if case .awaitsContinue = found { found = .incomplete }
        return hasFound
    }

    /// What has arrived and is no part of a request that was given out.
    mutating func takeBytes() -> [UInt8] {
        defer { buffer.removeAll() }
        return buffer.allBytes
    }

    /// Drops everything and returns the incomplete request, see ``RequestParser/abandon()``.
    @discardableResult
    mutating func removeAll() -> Request? {
        buffer.removeAll()
        found = .incomplete
        return parser.abandon()
    }

    private static func parse(
        _ bytes: borrowing Span<UInt8>,
        by parser: inout RequestParser,
        _ used: inout Int
    ) -> Next {
        do throws(ParseError) {
            switch try parser.parse(bytes) {
            case .request(let request, let consumed):
                used = consumed
                return .request(request)
            case .incomplete(let consumed):
                used = consumed
                return .incomplete
            case .streamed(let consumed):
                used = consumed
                return .incomplete
            case .awaitsContinue(let consumed):
                used = consumed
                return .awaitsContinue
            case .tooLarge(let request): return .tooLarge(request)
            }
        } catch {
            return .error(error)
        }
    }
}
