/// A request as received: the bytes of its head and where things stand in them.
final class RequestStorage: Sendable {
    /// Request line and fields with every line's end.
    let head: [UInt8]
    let line: RequestLine
    let fields: CompactTable<Field>
    let keepAlive: Bool
    let body: [UInt8]
    let remoteAddress: String

    init(
        head: [UInt8],
        line: RequestLine,
        fields: CompactTable<Field>,
        keepAlive: Bool,
        body: [UInt8],
        remoteAddress: String
    ) {
        self.head = head
        self.line = line
        self.fields = fields
        self.keepAlive = keepAlive
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// The head's bytes without a retain.
    var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let head = head
            let span = head.span
            // `head` is a constant of this object, so its bytes live as long as the object does.
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The first field of that name.
    @inline(__always)
    func value(of lowercaseName: StaticString) -> ByteRange? {
        for index in 0..<fields.count {
            let field = fields[index]
            if span.equals(field.name, ignoringCaseOf: lowercaseName) { return field.value }
        }
        return nil
    }
}
