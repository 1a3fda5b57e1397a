/// Reads the requests of one connection, however their bytes arrive (RFC 9112).
///
/// Call ``parse(_:)`` with everything that has arrived and was not consumed yet. Whatever two recipients could
/// interpret differently is an error. Where the next request starts is then unknown, so the parser stays in that error
/// and the connection must close.
package struct RequestParser: ~Copyable {
    package enum Progress {
        /// Drop the consumed bytes and call again with more.
        case incomplete(consumed: Int)
        /// The client waits for `100 Continue` before it sends its content; then as above.
        case awaitsContinue(consumed: Int)
        /// One complete request. The bytes after the consumed ones belong to the next.
        case request(Request, consumed: Int)
        /// A part of the content of the request before, which is in its stream now.
        case streamed(consumed: Int)
        /// The content is too large: this is the request without it. From then on an error is thrown.
        case tooLarge(Request)
    }

    /// What the parser waits for, which decides on the time limit.
    package enum Phase: Sendable {
        /// No byte of a request has arrived; empty lines before one do not count.
        case idle
        case head
        case body
    }

    private enum Stage {
        case requestLine
        case fields
        case body
    }

    private static let maximumEmptyLines = 2

    private let limits: RequestLimits
    private let remoteAddress: String

    private var stage = Stage.requestLine
    private var emptyLines = 0
    private var hasStarted = false
    private var scanner = LineScanner()
    private var requestLine = RequestLine.none
    /// Kept from request to request for its capacity.
    private var fields: [Field] = []
    private var framing = MessageFraming()
    /// A head whose content is incomplete.
    private var pending: (head: RequestHead, body: BodyReader)?
    /// Where that content goes, if its request was given out already.
    private var stream: BodyStream?
    /// How much content a request may have whose handler reads it as it arrives; nil for all others. It is asked when the
    /// content has not come with the head.
    package var streamingLimit: (@Sendable (Request) -> Int?)?
    private var failure: ParseError?

    package init(limits: RequestLimits, remoteAddress: String = "") {
        self.limits = limits.clamped
        self.remoteAddress = remoteAddress
    }

    package var phase: Phase {
        switch stage {
        case .requestLine: hasStarted ? .head : .idle
        case .fields: .head
        case .body: .body
        }
    }

    /// Whether content of a request that was given out is missing.
    package var isStreaming: Bool { stream != nil }

    /// Whether nothing more can be parsed.
    package var hasFailed: Bool { failure != nil }

    /// How much content of an incomplete request is held.
    package var bodyBytes: Int { pending?.body.content.count ?? 0 }

    /// Frees the incomplete request and returns it without its content; nil if its head is incomplete or faulty.
    /// Nothing more can be parsed.
    package mutating func abandon() -> Request? {
        if let stream = stream.take() {
            stream.end(RequestBodyError.incomplete)
            pending = nil
            failure = .malformedChunk
        }
        guard let head = pending.take()?.head else { return nil }
        return Request(
            storage: RequestStorage(head, keepAlive: false, body: [], remoteAddress: remoteAddress)
        )
    }

    /// What is known of a head that is incomplete or refused. `unconsumed` are the bytes after the last consumed one.
    package func unreadableHead(_ unconsumed: borrowing Span<UInt8>) -> UnreadableHead {
        UnreadableHead(unconsumed.extracting(..<min(unconsumed.count, headLimit(unconsumed))))
    }

    /// Continues where the last call stopped: `bytes` begins after the bytes that it consumed.
    package mutating func parse(_ bytes: borrowing Span<UInt8>) throws(ParseError) -> Progress {
        if let failure { throw failure }
        do throws(ParseError) {
            return stage == .body ? try parseBody(bytes, consumed: 0) : try parseHead(bytes)
        } catch {
            failure = error
            if let stream = stream.take() {
                stream.end(error == .bodyTooLarge ? RequestBodyError.tooLarge : .malformed)
                pending = nil
                throw error
            }
            guard error == .bodyTooLarge, let head = pending.take()?.head else { throw error }
            return .tooLarge(finish(head, content: []))
        }
    }

    private mutating func parseHead(_ bytes: borrowing Span<UInt8>) throws(ParseError) -> Progress {
        let skipped = skipEmptyLines(bytes)
        let limit = headLimit(bytes.extracting(skipped...))
        let visible = bytes.extracting(skipped..<min(bytes.count, skipped &+ limit))
        if stage == .requestLine {
            try refuseOtherProtocols(visible)
            guard try parseRequestLine(visible, headLimit: limit) else { return .incomplete(consumed: skipped) }
            stage = .fields
        }
        guard try parseFields(visible, headLimit: limit) else { return .incomplete(consumed: skipped) }
        try framing.verify(version: requestLine.version)

        let head = RequestHead(visible.extracting(..<scanner.start), line: requestLine, fields: fields)
        return try startBody(bytes, head, consumed: skipped &+ scanner.start)
    }

    /// How long the head may be that begins here. Its path is looked at only when the request line may be too long.
    @inline(__always)
    private func headLimit(_ head: borrowing Span<UInt8>) -> Int {
        guard head.count > limits.requestLineBytes, let prefix = limits.longTargetPrefix else {
            return limits.headBytes
        }
        return hasTarget(prefix, head) ? limits.longHeadBytes : limits.headBytes
    }

    private func hasTarget(_ prefix: StaticString, _ head: borrowing Span<UInt8>) -> Bool {
        var index = 0
        // The longest method has fewer letters.
        while index < min(16, head.count), head[index] != UInt8(ascii: " ") { index &+= 1 }
        index &+= 1
        guard index &+ prefix.utf8CodeUnitCount <= head.count else { return false }
        for offset in 0..<prefix.utf8CodeUnitCount where unsafe head[index &+ offset] != prefix.utf8Start[offset] {
            return false
        }
        return true
    }

    /// A TLS client on a port without TLS begins with a control byte, and then waits: it is told at once.
    @inline(__always)
    private func refuseOtherProtocols(_ bytes: borrowing Span<UInt8>) throws(ParseError) {
        guard bytes.count > 0, bytes[0] < 0x20 else { return }
        switch bytes[0] {
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\t"): break
        default: throw .controlByte
        }
    }

    /// RFC 9112 §2.2: at least one empty line before a request line is ignored. Here up to two are.
    @inline(__always)
    private mutating func skipEmptyLines(_ bytes: borrowing Span<UInt8>) -> Int {
        guard !hasStarted else { return 0 }
        var skipped = 0
        while emptyLines < Self.maximumEmptyLines, skipped &+ 1 < bytes.count, bytes[skipped] == UInt8(ascii: "\r"),
            bytes[skipped &+ 1] == UInt8(ascii: "\n")
        {
            skipped &+= 2
            emptyLines &+= 1
            scanner = LineScanner()
        }
        let rest = bytes.count &- skipped
        hasStarted = rest > 1 || (rest == 1 && bytes[skipped] != UInt8(ascii: "\r"))
        return skipped
    }

    /// False while the line is incomplete.
    @inline(__always)
    private mutating func parseRequestLine(
        _ head: borrowing Span<UInt8>,
        headLimit: Int
    ) throws(ParseError) -> Bool {
        let limit = headLimit == limits.headBytes ? limits.requestLineBytes &+ 2 : headLimit
        let visible = head.extracting(..<min(head.count, limit))
        guard let line = try scanner.next(in: visible) else {
            if visible.count == limit { throw .requestLineTooLong }
            if visible.count == headLimit { throw .headTooLarge }
            return false
        }
        requestLine = try RequestLine.parse(visible, line)
        return true
    }

    /// False while the fields or the empty line after them are incomplete.
    @inline(__always)
    private mutating func parseFields(_ head: borrowing Span<UInt8>, headLimit: Int) throws(ParseError) -> Bool {
        while true {
            if scanner.isFresh, let (field, next) = FieldLine.parseWhole(head, from: scanner.start) {
                try take(field, in: head)
                scanner.skip(to: next)
                continue
            }
            guard let line = try scanner.next(in: head) else {
                if head.count == headLimit { throw .headTooLarge }
                return false
            }
            if line.isEmpty { return true }
            try take(try FieldLine.parse(head, line), in: head)
        }
    }

    @inline(__always)
    private mutating func take(_ field: Field, in head: borrowing Span<UInt8>) throws(ParseError) {
        guard fields.count < limits.fieldCount else { throw .tooManyFields }
        fields.append(field)
        try framing.note(field, in: head, version: requestLine.version)
    }

    /// RFC 9112 §6.3: without either field a request has no content.
    @inline(__always)
    private mutating func startBody(
        _ bytes: borrowing Span<UInt8>,
        _ head: RequestHead,
        consumed: Int
    ) throws(ParseError) -> Progress {
        let missing = (framing.contentLength ?? 0) &- (bytes.count &- consumed)
        if framing.isChunked || missing > 0, let streamingLimit,
            let limit = streamingLimit(request(head, stream: nil))
        {
            let awaitsContinue = framing.expectsContinue && consumed == bytes.count
            return try startStream(head, limit, awaitsContinue, consumed: consumed)
        }
        if framing.isChunked {
            pending = (head, BodyReader(chunkedWithin: limits))
        } else if let length = framing.contentLength, length > 0 {
            pending = (head, BodyReader(length: length))
            if length > limits.bodyBytes { throw .bodyTooLarge }
        } else {
            return .request(finish(head, content: []), consumed: consumed)
        }
        stage = .body
        // RFC 9110 §10.1.1: no 100 when the content is already on its way.
        if framing.expectsContinue, consumed == bytes.count { return .awaitsContinue(consumed: consumed) }
        return try parseBody(bytes, consumed: consumed)
    }

    private mutating func parseBody(
        _ bytes: borrowing Span<UInt8>,
        consumed: Int
    ) throws(ParseError) -> Progress {
        let (read, isComplete) = try pending?.body.read(bytes.extracting(consumed...)) ?? (0, false)
        if let stream {
            stream.push(pending?.body.drain() ?? [])
            if isComplete {
                stream.end()
                self.stream = nil
                pending = nil
                reset()
            }
            return .streamed(consumed: consumed &+ read)
        }
        guard isComplete, let (head, body) = pending.take() else { return .incomplete(consumed: consumed &+ read) }
        return .request(finish(head, content: body.content), consumed: consumed &+ read)
    }

    /// Gives the request out before its content, which further calls take.
    private mutating func startStream(
        _ head: RequestHead,
        _ limit: Int,
        _ awaitsContinue: Bool,
        consumed: Int
    ) throws(ParseError) -> Progress {
        var limits = limits
        limits.bodyBytes = limit
        let length = framing.contentLength
        pending = (head, length.map { BodyReader(length: $0) } ?? BodyReader(chunkedWithin: limits))
        if let length, length > limit { throw .bodyTooLarge }
        let stream = BodyStream(awaitsContinue: awaitsContinue)
        self.stream = stream
        stage = .body
        return .request(request(head, stream: stream), consumed: consumed)
    }

    private func request(_ head: RequestHead, stream: BodyStream?) -> Request {
        let keepAlive = framing.keepsAlive(version: requestLine.version)
        return Request(
            storage: RequestStorage(
                head,
                keepAlive: keepAlive,
                body: [],
                stream: stream,
                remoteAddress: remoteAddress
            )
        )
    }

    /// Makes the request and resets the parser for the next one.
    @inline(__always)
    private mutating func finish(_ head: RequestHead, content: [UInt8]) -> Request {
        let keepAlive = framing.keepsAlive(version: requestLine.version)
        reset()
        return Request(
            storage: RequestStorage(
                head,
                keepAlive: keepAlive,
                body: content,
                remoteAddress: remoteAddress
            )
        )
    }

    @inline(__always)
    private mutating func reset() {
        stage = .requestLine
        emptyLines = 0
        hasStarted = false
        scanner = LineScanner()
        fields.removeAll(keepingCapacity: true)
        framing = MessageFraming()
    }
}
