import Glibc
import Synchronization

/// A TCP client with a blocking socket and a timeout of twenty seconds. Only one thread may read at a time.
package final class SocketClient: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package struct Reply: Equatable {
        package let status: Int
        package let head: String
        package let body: String

        package func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts[0].lowercased() == name { return String(parts[1].drop { $0 == " " }) }
            }
            return nil
        }
    }

    private let descriptor: CInt
    private let isClosed = Atomic(false)
    private let received = Mutex<[UInt8]>([])

    /// Creates the socket, and connects it unless `connects` is false.
    package init(port: Int, receiveBuffer: Int? = nil, connects: Bool = true) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: errno \(errno)") }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        if let receiveBuffer {
            var bytes = CInt(receiveBuffer)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
        if connects { try connect(to: port) }
    }

    package func connect(to port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Self.uninterrupted { unsafe Int(Glibc.connect(descriptor, pointer, length)) }
            }
        }
        guard result == 0 else { throw Failure(description: "connect: errno \(errno)") }
    }

    deinit {
        close()
    }

    package func close() {
        if !isClosed.exchange(true, ordering: .relaxed) { _ = Glibc.close(descriptor) }
    }

    /// Ends the connection with a reset, like a client that crashes.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    package func finishSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        try Self.send(bytes, descriptor)
    }

    /// Sends on another thread while the test reads; with `interval`, byte by byte. Errors are ignored.
    package func sendInBackground(_ text: String, every interval: Duration? = nil) {
        let copy = dup(descriptor)
        onThread {
            if let interval {
                for byte in text.utf8 where (try? Self.send([byte], copy)) != nil { pause(interval) }
            } else {
                try? Self.send(Array(text.utf8), copy)
            }
            _ = Glibc.close(copy)
        }
    }

    private static func send(_ bytes: [UInt8], _ descriptor: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                uninterrupted { unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL)) }
            }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends without blocking, and returns the number of bytes that were sent.
    package func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
            return unsafe max(0, Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
        }
    }

    /// The next response, which may be an interim one (1xx).
    package func reply(isHead: Bool = false) throws -> Reply {
        let end = Array("\r\n\r\n".utf8)
        let head = try take { received in received.firstRange(of: end).map(\.upperBound) }
        let text = String(decoding: head.dropLast(4), as: UTF8.self)
        let bare = Reply(status: Int(text.dropFirst(9).prefix(3)) ?? 0, head: text, body: "")
        let length = isHead ? 0 : bare.header("content-length").flatMap { Int($0) } ?? 0
        let body = try take { received in received.count >= length ? length : nil }
        return Reply(status: bare.status, head: text, body: String(decoding: body, as: UTF8.self))
    }

    /// What has been received and not taken, for another thread than the one that reads.
    package var everything: String { String(decoding: received.withLock { $0 }, as: UTF8.self) }

    /// Everything until the server closes the connection. Throws for a reset.
    package func rest() throws -> String {
        while try receive() {}
        return String(decoding: received.withLock { $0 }, as: UTF8.self)
    }

    /// Reads and drops so many bytes.
    package func skip(_ count: Int) throws {
        _ = try bytes(count)
    }

    /// The next bytes.
    package func bytes(_ count: Int) throws(Failure) -> [UInt8] {
        try take { received in received.count >= count ? count : nil }
    }

    /// Removes as many received bytes as `count` returns; reads more while that is nil.
    private func take(_ count: ([UInt8]) -> Int?) throws(Failure) -> [UInt8] {
        while true {
            let taken = received.withLock { received -> [UInt8]? in
                guard let count = count(received) else { return nil }
                defer { received.removeFirst(count) }
                return Array(received.prefix(count))
            }
            if let taken { return taken }
            guard try receive() else { throw Failure(description: "closed behind \(excerpt)") }
        }
    }

    /// False at the end of the stream.
    private func receive() throws(Failure) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let count = Self.uninterrupted { unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) }
        guard count >= 0 else { throw Failure(description: "recv: errno \(errno) behind \(excerpt)") }
        let bytes = unsafe Array(buffer[..<count])
        received.withLock { $0.append(contentsOf: bytes) }
        return count > 0
    }

    /// Calls again when a signal has interrupted the call, as one that stops and continues the process does.
    private static func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private var excerpt: String {
        String(decoding: received.withLock { $0.prefix(200) }, as: UTF8.self).debugDescription
    }
}
