import SwiftletEventLoop

/// The socket of one connection, with or without encryption.
struct ClientSocket: ~Copyable {
    private var descriptor: FileDescriptor
    /// Nil for plain HTTP.
    private let session: TLSSession?

    init(_ descriptor: consuming FileDescriptor, _ session: TLSSession?) {
        self.descriptor = descriptor
        self.session = session
    }

    var number: CInt { descriptor.number }
    var isSecure: Bool { session != nil }
    /// Reading has to wait until the socket is writable.
    var readWantsWrite: Bool { session?.readWantsWrite ?? false }

    /// What to watch the socket for in order to read, while output is pending (`isBlocked`) or not.
    ///
    /// A TLS read that waits for writability is not woken by input, or the loop would spin. Nor is a TLS session read
    /// while a record is partly written: OpenSSL fails when it has to answer a key update then.
    func readInterest(isBlocked: Bool) -> Interest {
        guard let session else { return .read }
        if session.readWantsWrite { return .write }
        return isBlocked ? [] : .read
    }

    func continueHandshake() -> TLSSession.Handshake { session?.continueHandshake() ?? .completed }

    /// Reads once: at most `limit` bytes, or one TLS record.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>, limit: Int) -> TransferResult {
        if let session { return unsafe session.read(into: buffer) }
        return unsafe SystemCall.read(descriptor, into: .init(rebasing: buffer[..<min(buffer.count, limit)]))
    }

    /// Takes the array and not its span, because a span would borrow from the owner's stored property.
    func write(_ bytes: [UInt8], from start: Int = 0) -> TransferResult {
        let bytes = bytes.span.extracting(start...)
        if let session { return session.write(bytes) }
        return SystemCall.write(descriptor, bytes)
    }

    /// Reads and drops bytes, encrypted or not. False when nothing more will arrive.
    func discard(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        switch unsafe SystemCall.read(descriptor, into: buffer) {
        case .bytes, .wouldBlock: true
        case .endOfStream, .failed: false
        }
    }

    func finishWriting() {
        session?.sendCloseNotify()
        SystemCall.finishWriting(descriptor)
    }

    var hasUnacknowledgedBytes: Bool { SystemCall.hasUnacknowledgedBytes(descriptor.number) }

    /// The client is told by a reset that something is missing.
    func resetOnClose() {
        SystemCall.resetOnClose(descriptor.number)
    }

    mutating func close() {
        session?.sendCloseNotify()
        descriptor.close()
    }
}
