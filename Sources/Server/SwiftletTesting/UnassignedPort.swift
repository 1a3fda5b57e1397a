import SwiftletEventLoop
import SwiftletHTTPServer
import Synchronization

/// A port of 127.0.0.1 that nobody listens on, and that the kernel gives to nobody who asks for any
/// (`net.ipv4.ip_local_port_range` begins above it): it stays free while a server is away. No two tests of one run get
/// the same. nil if there is none.
package func unassignedPort() -> Int? {
    (20_000..<30_000).shuffled().prefix(100).first { port in
        guard let address = try? SocketAddress.resolve(host: "127.0.0.1", port: port).first,
            let socket = try? SystemCall.makeSocket(for: address),
            (try? SystemCall.bind(socket, to: address)) != nil
        else { return false }
        return givenPorts.withLock { $0.insert(port).inserted }
    }
}

private let givenPorts = Mutex<Set<Int>>([])

/// Starts a server on a port that this process listened on before. A program that another test starts holds copies of
/// this process's sockets between fork and exec, and with them the port.
package func listeningAgain<Server>(_ start: () async throws -> Server) async throws -> Server {
    let stopwatch = Stopwatch()
    while stopwatch.elapsed < .seconds(30) {
        do {
            return try await start()
        } catch HTTPServerError.portTaken {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
    return try await start()
}
