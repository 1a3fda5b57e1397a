import SwiftletCCurl
package import SwiftletEventLoop

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A connection to another server for a protocol that libcurl does not speak: it resolves the name, connects and encrypts,
/// and then moves bytes without blocking.
@safe package final class OutboundSocket: @unchecked Sendable {
    // Sendable because libcurl binds a handle to no thread, and the socket has one user at a time: who connects it, and
    // then the loop that it is given to.

    private let easy: EasyHandle
    /// To be watched, and deregistered before the last reference goes.
    package let descriptor: CInt

    private init(_ easy: consuming EasyHandle, descriptor: CInt) {
        self.easy = easy
        self.descriptor = descriptor
    }

    /// Blocks until it is connected: never on an event loop.
    package static func connect(
        host: String,
        port: Int,
        isSecure: Bool,
        trust: Trust,
        timeout: Duration
    ) throws(OutboundError) -> OutboundSocket {
        guard isHost(host), (1...65535).contains(port) else { throw .badAddress }
        // Neither a broken connection's plain writes nor OpenSSL's may end the process.
        SystemCall.ignoreBrokenPipes()
        // For libcurl a connection has the scheme of what is spoken on it; nothing of HTTP is sent (CURLOPT_CONNECT_ONLY).
        var easy = try EasyHandle.make(scheme: isSecure ? .https : .http)
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        easy.set(CURLOPT_URL, "\(isSecure ? "https" : "http")://\(name):\(port)")
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        easy.set(CURLOPT_SSL_ENABLE_ALPN, 0)
        easy.trust(trust)
        easy.disableProxy()
        easy.setTimeouts(total: timeout, connect: timeout)
        _ = try easy.perform(Transfer(maximumBodyBytes: 0))
        var descriptor: curl_socket_t = -1
        guard unsafe ccurl_active_socket(easy.handle, &descriptor) == CURLE_OK, descriptor >= 0 else {
            throw .noConnection
        }
        return OutboundSocket(easy, descriptor: descriptor)
    }

    /// May leave bytes inside OpenSSL that the poller does not announce: read until it would block.
    package func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> TransferResult {
        var count = 0
        switch unsafe curl_easy_recv(easy.handle, buffer.baseAddress, buffer.count, &count) {
        case CURLE_OK: return count > 0 ? .bytes(count) : .endOfStream
        case CURLE_AGAIN: return .wouldBlock
        default: return .failed(SystemError("recv", ECONNRESET))
        }
    }

    /// Writes some of the bytes.
    package func write(_ bytes: borrowing Span<UInt8>) -> TransferResult {
        guard !bytes.isEmpty else { return .bytes(0) }
        var count = 0
        let code = unsafe bytes.withUnsafeBytes { bytes in
            unsafe curl_easy_send(easy.handle, bytes.baseAddress, bytes.count, &count)
        }
        switch code {
        case CURLE_OK: return .bytes(count)
        case CURLE_AGAIN: return .wouldBlock
        default: return .failed(SystemError("send", EPIPE))
        }
    }

    private static func isHost(_ host: String) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@%\\\"<>{}|^`".utf8.contains($0) }
    }
}
