import SwiftletCOpenSSL
import SwiftletEventLoop

@testable import SwiftletHTTPServer

/// A TLS client for what `openssl s_client` cannot do. Never blocks.
@safe final class TLSClient {
    private let handle: OpaquePointer
    private let descriptor: FileDescriptor

    init(over descriptor: consuming FileDescriptor) throws {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw TLSError.library(reason: "SSL_CTX_new")
        }
        defer { unsafe SSL_CTX_free(context) }
        guard let handle = unsafe SSL_new(context) else { throw TLSError.library(reason: "SSL_new") }
        unsafe self.handle = handle
        unsafe SSL_set_fd(handle, descriptor.number)
        unsafe SSL_set_connect_state(handle)
        self.descriptor = descriptor
    }

    convenience init(port: Int) throws {
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
        let descriptor = try SystemCall.makeSocket(for: address)
        try SystemCall.connect(descriptor, to: address)
        try self.init(over: descriptor)
    }

    deinit {
        unsafe SSL_free(handle)
    }

    /// Continues the handshake or a key update. True when it is done.
    func continueHandshake() -> Bool {
        unsafe SSL_do_handshake(handle) == 1
    }

    /// False when it cannot be sent now.
    func updateKeys(requestsUpdate: Bool) -> Bool {
        if unsafe SSL_in_init(handle) == 0 {
            unsafe SSL_key_update(handle, requestsUpdate ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
        }
        return continueHandshake()
    }

    /// The text must fit into the socket.
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe SSL_write(handle, bytes, CInt(bytes.count)) == CInt(bytes.count)
    }

    /// What is there, decrypted; nil when the connection has ended.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = unsafe SSL_read(handle, &bytes, CInt(bytes.count))
        if count > 0 { return Array(bytes[..<Int(count)]) }
        return unsafe SSL_get_error(handle, count) == SSL_ERROR_WANT_READ ? [] : nil
    }
}
