import SwiftletEventLoop
import SwiftletBlockingPool

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Resolves host names off the loop: libpq itself would block the loop's thread, for seconds when the resolver is down.
enum HostResolver {
    /// A resolver that is down keeps each thread for seconds.
    private static let threads = BlockingPool("resolver", width: 8, depth: 64)

    /// True when libpq would have to ask a resolver.
    static func isNeeded(for settings: ConnectionSettings) -> Bool { settings.servers.contains(where: hasOnlyName) }

    private static func hasOnlyName(_ server: ServerAddress) -> Bool { server.address.isEmpty && isName(server.host) }

    /// Calls back on another thread with one host, address and port for each address found; nil when there is none, and
    /// at once when too many wait for the resolver.
    static func resolve(
        _ settings: ConnectionSettings,
        _ completion: @escaping @Sendable (ConnectionSettings?) -> Void
    ) {
        let isBegun = threads.begin { completion(expand(settings, addresses)) }
        if !isBegun { completion(nil) }
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
        ((try? SocketAddress.resolve(host: host, port: 0)) ?? []).map(\.host)
    }
}
