import SwiftletEventLoop

/// A port of 127.0.0.1 that nobody listens on, and that the kernel gives to nobody who asks for any
/// (`net.ipv4.ip_local_port_range` begins above it): it stays free while a server is away. nil if there is none.
package func unassignedPort() -> Int? {
    (20_000..<30_000).shuffled().prefix(100).first { port in
        guard let address = try? SocketAddress.resolve(host: "127.0.0.1", port: port).first,
            let socket = try? SystemCall.makeSocket(for: address)
        else { return false }
        return (try? SystemCall.bind(socket, to: address)) != nil
    }
}
