/// A complete head whose content may still be missing.
struct RequestHead {
    /// The bytes as received, followed by one ``Field`` for each field, in a single allocation.
    let bytes: [UInt8]
    /// Where the received bytes end.
    let end: Int
    let fieldCount: Int
    let line: RequestLine

    @inline(__always)
    init(_ received: borrowing Span<UInt8>, line: RequestLine, fields: [Field]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(received.count &+ fields.count &* MemoryLayout<Field>.stride)
        unsafe received.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        unsafe fields.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        self.bytes = bytes
        end = received.count
        fieldCount = fields.count
        self.line = line
    }
}

/// The place of one field in the head; the value without the white space around it.
struct Field: BitwiseCopyable, Sendable {
    let name: ByteRange
    let value: ByteRange

    static var none: Field { Field(name: .none, value: .none) }
}
