import HTTP

/// Makes requests of the bytes that come in, and keeps what cannot be used yet.
struct IncomingRequests: ~Copyable {
    /// What the bytes at hand amount to.
    enum Next {
        case incomplete
        case request(Request)
        /// The client waits for a word before it sends the body.
        case awaitsContinue
        /// The content is too large: this is the request without it, and nothing behind it will be read.
        case tooLarge(Request)
        /// Nothing behind it can be understood.
        case error(ParseError)
    }

    private var parser: RequestParser
    private var buffer = InputBuffer()
    /// The next request, when it was looked for before its time.
    private var found = Next.incomplete

    init(limits: RequestLimits, remoteAddress: String) {
        parser = RequestParser(limits: limits, remoteAddress: remoteAddress)
    }

    var phase: RequestParser.Phase { parser.phase }
    /// Whether the request that is coming in, or could not be understood, asks for a head only.
    var isHead: Bool { parser.isHead }
    var bufferedBytes: Int { buffer.count }
    /// Nothing is here, not even a part of a request.
    var isEmpty: Bool { buffer.isEmpty && !hasFound }

    private var hasFound: Bool {
        if case .incomplete = found { false } else { true }
    }

    /// Leaves the bytes for later.
    mutating func keep(_ bytes: borrowing Span<UInt8>) {
        buffer.append(bytes)
    }

    /// The next request from what was kept and these bytes. Copies none of them that can be used at once.
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

    /// The next request from what was kept.
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

    /// Whether one more request is here, or at least an error to be answered.
    mutating func hasFurtherRequest() -> Bool {
        if hasFound { return true }
        guard !buffer.isEmpty else { return false }
        found = next()
        // That body will not be waited for.
        if case .awaitsContinue = found { found = .incomplete }
        return hasFound
    }

    mutating func removeAll() {
        buffer.removeAll()
        found = .incomplete
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
            case .needsMoreBytes(let consumed):
                used = consumed
                return .incomplete
            case .sendContinue(let consumed):
                used = consumed
                return .awaitsContinue
            }
        } catch {
            return parser.refused.map { .tooLarge($0) } ?? .error(error)
        }
    }
}
