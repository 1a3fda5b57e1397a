/// Collects what the fields of a head say about the message's length and the connection, and refuses repeated fields.
struct MessageFraming {
    private var hasHost = false
    private var hasCredentials = false
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var expectsContinue = false
    private var asksToClose = false
    private var asksToKeepAlive = false

    /// Evaluates one field.
    @inline(__always)
    mutating func note(
        _ field: Field,
        in bytes: borrowing Span<UInt8>,
        version: HTTPVersion
    ) throws(ParseError) {
        switch field.name.count {
        case 4 where bytes.equals(field.name, ignoringCaseOf: "host"):
            try noteHost(bytes, field.value)
        case 6 where bytes.equals(field.name, ignoringCaseOf: "expect"):
            try noteExpectation(bytes, field.value, version)
        case 10 where bytes.equals(field.name, ignoringCaseOf: "connection"):
            noteConnection(bytes, field.value)
        case 13 where bytes.equals(field.name, ignoringCaseOf: "authorization"):
            try noteCredentials()
        case 14 where bytes.equals(field.name, ignoringCaseOf: "content-length"):
            try noteContentLength(bytes, field.value)
        case 17 where bytes.equals(field.name, ignoringCaseOf: "transfer-encoding"):
            try noteTransferEncoding(bytes, field.value, version)
        default:
            break
        }
    }

    /// Checks what can only be checked once all fields are known.
    @inline(__always)
    func verify(version: HTTPVersion) throws(ParseError) {
        // RFC 9112 §3.2.
        if version == .http11, !hasHost { throw .missingHost }
    }

    /// RFC 9112 §9.3; "close" wins over "keep-alive".
    @inline(__always)
    func keepsAlive(version: HTTPVersion) -> Bool {
        !asksToClose && (version == .http11 || asksToKeepAlive)
    }

    /// Whether the field controls framing or routing, which a trailer field must not (RFC 9110 §6.5.1).
    static func governs(_ field: Field, in bytes: borrowing Span<UInt8>) -> Bool {
        bytes.equals(field.name, ignoringCaseOf: "content-length")
            || bytes.equals(field.name, ignoringCaseOf: "transfer-encoding")
            || bytes.equals(field.name, ignoringCaseOf: "host")
    }

    @inline(__always)
    private mutating func noteHost(_ bytes: borrowing Span<UInt8>, _ value: ByteRange) throws(ParseError) {
        guard !hasHost else { throw .repeatedHost }
        guard Authority.isValid(bytes, value.range, portIsRequired: false) else { throw .malformedHost }
        hasHost = true
    }

    /// RFC 9110 §5.3: a field that is not a list occurs once. Of two, a gateway might check one and this server the
    /// other.
    private mutating func noteCredentials() throws(ParseError) {
        guard !hasCredentials else { throw .repeatedCredentials }
        hasCredentials = true
    }

    /// RFC 9110 §8.6 allows to accept a list of equal numbers; here it is refused.
    private mutating func noteContentLength(
        _ bytes: borrowing Span<UInt8>,
        _ value: ByteRange
    ) throws(ParseError) {
        guard !isChunked else { throw .conflictingLength }
        guard contentLength == nil else { throw .repeatedLength }
        guard !value.isEmpty else { throw .malformedLength }
        var length = 0
        for index in value.range {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { throw .malformedLength }
            let (product, overflows) = length.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(Int(digit))
            // What does not fit into an integer exceeds every limit.
            length = overflows || overflowsToo ? Int.max : sum
        }
        contentLength = length
    }

    /// RFC 9112 §6.1. Only "chunked" alone is supported.
    private mutating func noteTransferEncoding(
        _ bytes: borrowing Span<UInt8>,
        _ value: ByteRange,
        _ version: HTTPVersion
    ) throws(ParseError) {
        guard version == .http11 else { throw .codingInOldVersion }
        guard contentLength == nil else { throw .conflictingLength }
        guard !isChunked else { throw .repeatedCoding }
        if bytes.equals(value, ignoringCaseOf: "chunked") {
            isChunked = true
            return
        }
        var timesChunked = 0
        var endsChunked = false
        var isWellFormed = true
        ListElements.forEach(in: bytes, value) { bytes, element in
            endsChunked = bytes.equals(element, ignoringCaseOf: "chunked")
            if endsChunked { timesChunked &+= 1 }
            if element.isEmpty { isWellFormed = false }
            for index in element.range where !ByteSet.token.contains(bytes[index]) { isWellFormed = false }
        }
        guard isWellFormed else { throw .malformedCoding }
        guard timesChunked < 2 else { throw .repeatedCoding }
        // RFC 9112 §6.3: the length is unknown, so 400 although the coding may be unknown as well.
        guard endsChunked else { throw .chunkedIsNotLast }
        throw .unknownCoding
    }

    /// RFC 9110 §10.1.1: 417 for an unknown expectation; an HTTP/1.0 client must not be sent a 100.
    private mutating func noteExpectation(
        _ bytes: borrowing Span<UInt8>,
        _ value: ByteRange,
        _ version: HTTPVersion
    ) throws(ParseError) {
        guard bytes.equals(value, ignoringCaseOf: "100-continue") else { throw .unknownExpectation }
        expectsContinue = version == .http11
    }

    private mutating func noteConnection(_ bytes: borrowing Span<UInt8>, _ value: ByteRange) {
        if bytes.equals(value, ignoringCaseOf: "keep-alive") {
            asksToKeepAlive = true
            return
        }
        var asksToClose = asksToClose
        var asksToKeepAlive = asksToKeepAlive
        ListElements.forEach(in: bytes, value) { bytes, element in
            if bytes.equals(element, ignoringCaseOf: "close") { asksToClose = true }
            if bytes.equals(element, ignoringCaseOf: "keep-alive") { asksToKeepAlive = true }
        }
        self.asksToClose = asksToClose
        self.asksToKeepAlive = asksToKeepAlive
    }
}
