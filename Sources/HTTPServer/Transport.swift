import EventLoop

/// The socket of one connection, with or without encryption.
struct Transport: ~Copyable {
    private var descriptor: FileDescriptor
    /// Nil for plain HTTP.
    private let session: TLSSession?

    init(_ descriptor: consuming FileDescriptor, _ session: TLSSession?) {
        self.descriptor = descriptor
        self.session = session
    }

    var number: CInt { descriptor.number }
    var isSecure: Bool { session != nil }
    /// Reading goes on when the socket can be written.
    var readWantsWrite: Bool { session?.readWantsWrite ?? false }

    func shakeHands() -> TLSSession.Handshake { session?.shakeHands() ?? .completed }

    /// Reads once, no more than `limit` bytes or a TLS record.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>, limit: Int) -> TransferResult {
        if let session { return unsafe session.read(into: buffer) }
        return unsafe SystemCall.read(descriptor, into: .init(rebasing: buffer[..<min(buffer.count, limit)]))
    }

    /// Takes the array and not its span, so that nothing borrows from the owner's stored property meanwhile.
    func write(_ bytes: [UInt8], from start: Int = 0) -> TransferResult {
        let bytes = bytes.span.extracting(start...)
        if let session { return session.write(bytes) }
        return SystemCall.write(descriptor, bytes)
    }

    /// Reads and forgets, encrypted or not. False when nothing more will come.
    func discard(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        switch unsafe SystemCall.read(descriptor, into: buffer) {
        case .bytes, .wouldBlock: true
        case .endOfStream, .failed: false
        }
    }

    func finishWriting() {
        session?.sayGoodbye()
        SystemCall.finishWriting(descriptor)
    }

    mutating func close() {
        session?.sayGoodbye()
        descriptor.close()
    }
}
