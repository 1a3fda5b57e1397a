import Synchronization

/// A complete request: the bytes of its head as received, and the places of its parts in them.
final class RequestStorage: Sendable {
    let bytes: [UInt8]
    let line: RequestLine
    let fieldCount: Int
    let keepAlive: Bool
    let body: [UInt8]
    let stream: BodyStream?
    let remoteAddress: String
    private let attached = Mutex<(any AnyObject & Sendable)?>(nil)
    private let headEnd: Int

    init(
        _ head: RequestHead,
        keepAlive: Bool,
        body: [UInt8],
        stream: BodyStream? = nil,
        remoteAddress: String
    ) {
        bytes = head.bytes
        line = head.line
        fieldCount = head.fieldCount
        headEnd = head.end
        self.keepAlive = keepAlive
        self.body = body
        self.stream = stream
        self.remoteAddress = remoteAddress
    }

    /// The head of one request with the content of another, which may still be arriving.
    init(_ head: RequestStorage, content: RequestStorage) {
        bytes = head.bytes
        line = head.line
        fieldCount = head.fieldCount
        headEnd = head.headEnd
        keepAlive = head.keepAlive
        remoteAddress = head.remoteAddress
        body = content.body
        stream = content.stream
    }

    var attachment: (any AnyObject & Sendable)? { attached.withLock(\.self) }

    func attach(_ object: any AnyObject & Sendable) { attached.withLock { $0 = object } }

    func detach() -> (any AnyObject & Sendable)? { attached.withLock { $0.take() } }

    /// Request line and fields with the ends of their lines.
    var head: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let bytes = bytes
            let head = bytes.span.extracting(..<headEnd)
            // `bytes` is a constant of this object, so it lives as long as the object does.
            return unsafe _overrideLifetime(head, borrowing: self)
        }
    }

    /// The place of a field in the head.
    @inline(__always)
    func field(_ index: Int) -> Field {
        precondition(index >= 0 && index < fieldCount, "the request has no such field")
        let bytes = bytes
        // RequestHead.init has put that many fields after the head.
        return unsafe bytes.span.bytes.unsafeLoadUnaligned(
            fromByteOffset: headEnd &+ index &* MemoryLayout<Field>.stride,
            as: Field.self
        )
    }

    /// The value of the first field of that name.
    @inline(__always)
    func value(of lowercaseName: StaticString) -> ByteRange? {
        for index in 0..<fieldCount {
            let field = field(index)
            if head.equals(field.name, ignoringCaseOf: lowercaseName) { return field.value }
        }
        return nil
    }
}
