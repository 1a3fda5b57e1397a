import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Resolves host names off the loop: libpq itself would block the loop's thread, for seconds when the resolver is down.
enum HostResolver {
    private static let queue = DispatchQueue(label: "swiftlet.resolver", attributes: .concurrent)

    /// True when libpq would have to ask a resolver.
    static func isNeeded(for settings: ConnectionSettings) -> Bool { settings.servers.contains(where: hasOnlyName) }

    private static func hasOnlyName(_ server: ServerAddress) -> Bool { server.address.isEmpty && isName(server.host) }

    /// Calls back on another thread with one host, address and port for each address found; nil when there is none.
    static func resolve(
        _ settings: ConnectionSettings,
        _ completion: @escaping @Sendable (ConnectionSettings?) -> Void
    ) {
        queue.async { completion(expand(settings) { addresses(of: $0) }) }
    }

    /// Replaces every host by its addresses. Hosts that are paths or addresses stay as they are.
    static func expand(_ settings: ConnectionSettings, _ resolve: (String) -> [String]) -> ConnectionSettings? {
        let servers = settings.servers.flatMap { server -> [ServerAddress] in
            guard hasOnlyName(server) else { return [server] }
            return resolve(server.host).map { ServerAddress(host: server.host, address: $0, port: server.port) }
        }
        return servers.isEmpty ? nil : settings.with(servers)
    }

    private static func isName(_ host: String) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") { return false }
        var storage = in6_addr()
        return unsafe inet_pton(AF_INET, host, &storage) != 1 && inet_pton(AF_INET6, host, &storage) != 1
    }

    private static func addresses(of host: String) -> [String] {
        var hints = unsafe addrinfo()
        #if os(Linux)
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var next = unsafe list
        while let info = unsafe next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(text.count)
            let code = unsafe getnameinfo(info.ai_addr, info.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST)
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if code == 0 { addresses.append(String(decoding: bytes, as: UTF8.self)) }
            unsafe next = info.ai_next
        }
        return addresses
    }
}
