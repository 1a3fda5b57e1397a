#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An address of a stream socket: IPv4 or IPv6.
@safe package struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init() {}

    /// The addresses of a host, given as a number or a name. May block on the resolver: not for use on a loop.
    package static func resolve(host: String, port: Int) throws(SystemError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        #if os(Linux)
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
        guard code == 0 else { throw SystemError("getaddrinfo", EADDRNOTAVAIL, subject: host) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let info = unsafe next?.pointee {
            if let address = unsafe info.ai_addr {
                unsafe addresses.append(SocketAddress(copying: address, length: info.ai_addrlen))
            }
            unsafe next = info.ai_next
        }
        return addresses
    }

    private init(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { storage in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
        }
        self.length = socklen_t(count)
    }

    package var isIPv6: Bool { family == AF_INET6 }

    var family: CInt { CInt(storage.ss_family) }

    /// In the host's byte order; 0 before the system has chosen one.
    package var port: Int {
        switch family {
        case AF_INET: Int(UInt16(bigEndian: view(as: sockaddr_in.self).sin_port))
        case AF_INET6: Int(UInt16(bigEndian: view(as: sockaddr_in6.self).sin6_port))
        default: 0
        }
    }

    package func withPort(_ port: Int) -> SocketAddress {
        var copy = self
        let port = UInt16(truncatingIfNeeded: port).bigEndian
        switch family {
        case AF_INET: copy.change(as: sockaddr_in.self) { $0.sin_port = port }
        case AF_INET6: copy.change(as: sockaddr_in6.self) { $0.sin6_port = port }
        default: break
        }
        return copy
    }

    /// The address alone: four bytes, also for an IPv4 client of a dual-stack socket, sixteen, or none.
    package var addressBytes: [UInt8] {
        switch family {
        case AF_INET: Self.bytes(of: view(as: sockaddr_in.self).sin_addr)
        case AF_INET6: Self.bytes(of: view(as: sockaddr_in6.self).sin6_addr)
        default: []
        }
    }

    private static func bytes<Address>(of address: Address) -> [UInt8] {
        unsafe withUnsafeBytes(of: address) { bytes in unsafe Array(bytes) }
    }

    private static func bytes(of address: in6_addr) -> [UInt8] {
        if let mapped = mappedAddress(in: address) { return bytes(of: mapped) }
        return unsafe withUnsafeBytes(of: address) { bytes in unsafe Array(bytes) }
    }

    /// The numeric address without the port, as in `127.0.0.1` or `::1`.
    package var host: String {
        switch family {
        case AF_INET:
            var address = view(as: sockaddr_in.self).sin_addr
            return unsafe Self.text(AF_INET, &address)
        case AF_INET6:
            var address = view(as: sockaddr_in6.self).sin6_addr
            // RFC 4291 §2.5.5.2: an IPv4 client of a dual-stack socket.
            if let mapped = Self.mappedAddress(in: address) {
                var address = mapped
                return unsafe Self.text(AF_INET, &address)
            }
            return unsafe Self.text(AF_INET6, &address)
        default: return ""
        }
    }

    private static func mappedAddress(in address: in6_addr) -> in_addr? {
        unsafe withUnsafeBytes(of: address) { bytes in
            guard unsafe bytes.prefix(10).allSatisfy({ $0 == 0 }), unsafe bytes[10] == 255, unsafe bytes[11] == 255
            else { return nil }
            return unsafe bytes.loadUnaligned(fromByteOffset: 12, as: in_addr.self)
        }
    }

    package var description: String {
        family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    mutating func fill<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        var length = length
        defer { self.length = length }
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, &length) }
        }
    }

    private func view<Address>(as type: Address.Type) -> Address {
        unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: type) }
    }

    private mutating func change<Address>(as type: Address.Type, _ body: (inout Address) -> Void) {
        var address = view(as: type)
        body(&address)
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: address, as: type) }
    }

    private static func text(_ family: CInt, _ address: UnsafeRawPointer) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress,
                let text = unsafe inet_ntop(family, address, start, socklen_t(buffer.count))
            else { return "" }
            return unsafe String(cString: text)
        }
    }
}
