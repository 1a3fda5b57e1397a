import SwiftletCOpenSSL
import SwiftletEventLoop

/// OpenSSL's `SSL`: the encrypted side of one connection. It reads and writes the socket, but does not own it.
@safe final class TLSSession {
    enum Handshake {
        case completed
        case wantsRead
        case wantsWrite
        case failed
    }

    /// How often one call may read the socket; a record takes two reads. OpenSSL handles key updates, and renegotiation
    /// attempts in TLS 1.2, without returning: a client that keeps sending them would block the loop within one call.
    private static let maximumReads = 16

    private let handle: OpaquePointer
    /// How often the current call may still read the socket.
    fileprivate var readsLeft = 0
    /// A session that has failed must not be used again, not even for a close_notify.
    private var hasFailed = false
    /// After a close_notify the socket's bytes are dropped unread, so they make no sense any more.
    private var isClosing = false
    /// A read has to wait until the socket is writable, for instance to answer a key update.
    private(set) var readWantsWrite = false

    /// The session must have its socket.
    init(adopting handle: OpaquePointer) {
        unsafe self.handle = handle
        let socket = unsafe SSL_get_rbio(handle)
        unsafe BIO_set_callback_arg(
            socket,
            Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: CChar.self)
        )
        unsafe BIO_set_callback_ex(socket, limitReads)
    }

    deinit {
        unsafe SSL_free(handle)
    }

    func continueHandshake() -> Handshake {
        ERR_clear_error()
        readsLeft = Self.maximumReads
        let result = unsafe SSL_do_handshake(handle)
        if result == 1 { return .completed }
        switch unsafe SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        default:
            hasFailed = true
            return .failed
        }
    }

    /// Reads one record at most. The buffer must have room for a whole one, 16 KiB: bytes left inside OpenSSL would not
    /// wake the loop.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> TransferResult {
        ERR_clear_error()
        readsLeft = Self.maximumReads
        readWantsWrite = false
        let result = unsafe SSL_read(handle, buffer.baseAddress, CInt(clamping: buffer.count))
        if result > 0 { return .bytes(Int(result)) }
        switch unsafe SSL_get_error(handle, result) {
        case SSL_ERROR_ZERO_RETURN: return .endOfStream
        case SSL_ERROR_WANT_READ: return .wouldBlock
        case SSL_ERROR_WANT_WRITE:
            readWantsWrite = true
            return .wouldBlock
        default: return failed("SSL_read")
        }
    }

    /// Writes as many records as the socket takes.
    func write(_ bytes: borrowing Span<UInt8>) -> TransferResult {
        var sent = 0
        while sent < bytes.count {
            ERR_clear_error()
            let result = unsafe bytes.extracting(sent...).withUnsafeBufferPointer { bytes in
                unsafe SSL_write(handle, bytes.baseAddress, CInt(clamping: bytes.count))
            }
            guard result > 0 else {
                if unsafe SSL_get_error(handle, result) == SSL_ERROR_WANT_WRITE {
                    return sent > 0 ? .bytes(sent) : .wouldBlock
                }
                // WANT_READ would take a renegotiation, which is switched off.
                return failed("SSL_write")
            }
            sent += Int(result)
        }
        return .bytes(sent)
    }

    /// Sends a close_notify alert, once and if the socket takes it. The session must not be read afterwards.
    func sendCloseNotify() {
        readWantsWrite = false
        guard !hasFailed, !isClosing else { return }
        isClosing = true
        ERR_clear_error()
        unsafe SSL_shutdown(handle)
    }

    private func failed(_ call: String) -> TransferResult {
        hasFailed = true
        return .failed(SystemError(call, 0))
    }
}

/// Called by OpenSSL around every operation on the socket. A read beyond the limit finds nothing, as if the socket had
/// no more bytes; the poller reports them again.
private func limitReads(
    _ socket: OpaquePointer?,
    _ operation: CInt,
    _ buffer: UnsafePointer<CChar>?,
    _ length: Int,
    _ number: CInt,
    _ argument: Int,
    _ result: CInt,
    _ transferred: UnsafeMutablePointer<Int>?
) -> Int {
    guard operation == BIO_CB_READ, let owner = unsafe BIO_get_callback_arg(socket) else { return Int(result) }
    let session = unsafe Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue()
    guard session.readsLeft > 0 else {
        unsafe BIO_set_flags(socket, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }
    session.readsLeft -= 1
    return Int(result)
}
