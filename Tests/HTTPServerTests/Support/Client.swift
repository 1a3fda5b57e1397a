import Dispatch
import Glibc

/// A plain client with a blocking socket: every wait ends after five seconds.
final class Client {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Reply: Equatable {
        let status: Int
        let head: String
        let body: String

        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts[0].lowercased() == name { return String(parts[1].drop { $0 == " " }) }
            }
            return nil
        }
    }

    private var descriptor: CInt
    private var received: [UInt8] = []

    init(port: Int, receiveBuffer: Int? = nil) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: errno \(errno)") }
        var timeout = timeval(tv_sec: 5, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        if let receiveBuffer {
            var bytes = CInt(receiveBuffer)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, length)
            }
        }
        guard result == 0 else { throw Failure(description: "connect: errno \(errno)") }
    }

    deinit {
        close()
    }

    func close() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
    }

    /// Ends the connection with a reset, as a client does that vanishes.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func finishSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        try Self.send(bytes, descriptor)
    }

    /// Sends on another thread while the test reads. What cannot be sent shows as a missing answer.
    func sendInBackground(_ text: String) {
        let copy = dup(descriptor)
        DispatchQueue.global().async {
            try? Self.send(Array(text.utf8), copy)
            _ = Glibc.close(copy)
        }
    }

    private static func send(_ bytes: [UInt8], _ descriptor: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends what fits without waiting, and returns how much that was.
    func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
            return unsafe max(0, Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
        }
    }

    /// The next response. An interim one counts too.
    func reply(isHead: Bool = false) throws -> Reply {
        let end = Array("\r\n\r\n".utf8)
        while received.firstRange(of: end) == nil { try receive() }
        guard let range = received.firstRange(of: end) else { throw Failure(description: "no head") }
        let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
        received.removeFirst(range.upperBound)
        let bare = Reply(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, body: "")
        let length = isHead ? 0 : bare.header("content-length").flatMap { Int($0) } ?? 0
        while received.count < length { try receive() }
        let body = String(decoding: received[..<length], as: UTF8.self)
        received.removeFirst(length)
        return Reply(status: bare.status, head: head, body: body)
    }

    /// Everything up to the server's end of the connection; a reset is a failure.
    func rest() throws -> String {
        while try receiveSome() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    func read(_ count: Int) throws -> [UInt8] {
        while received.count < count { try receive() }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    private func receive() throws {
        guard try receiveSome() else {
            throw Failure(description: "closed behind \(String(decoding: received, as: UTF8.self).debugDescription)")
        }
    }

    private func receiveSome() throws -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count >= 0 else {
            let text = String(decoding: received, as: UTF8.self).debugDescription
            throw Failure(description: "recv: errno \(errno) behind \(text)")
        }
        unsafe received.append(contentsOf: buffer[..<count])
        return count > 0
    }
}
