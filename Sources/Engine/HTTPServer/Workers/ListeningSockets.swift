import SwiftletEventLoop

/// Opens the sockets on which the loops accept connections.
enum ListeningSockets {
    /// The kernel has a limit of its own (`net.core.somaxconn`).
    private static let backlog: CInt = 4096

    /// Opens one socket per address and loop, all on the same port, and returns that port. `body` takes them, for each
    /// address the one of the first loop first.
    static func open(
        _ configuration: HTTPServerConfiguration,
        loops: Int,
        _ body: (_ loop: Int, _ socket: consuming FileDescriptor) -> Void
    ) throws(HTTPServerError) -> Int {
        if let inherited = configuration.inheritedSocket { return try share(inherited, loops: loops, body) }
        var port = configuration.port
        var isListening = false
        let addresses = try resolve(configuration.host, port)
        for address in addresses {
            func open(isFirst: Bool) throws(HTTPServerError) -> FileDescriptor {
                do throws(SystemError) {
                    return try Self.open(address.withPort(port), isFirst: isFirst, isAlone: addresses.count == 1)
                } catch {
                    throw HTTPServerError(error, host: configuration.host, port: port)
                }
            }
            let first: FileDescriptor
            do throws(HTTPServerError) {
                first = try open(isFirst: true)
            } catch {
                // A name such as localhost may have an address of a family that this machine does not support.
                if case .unknownHost = error, addresses.count > 1 { continue }
                throw error
            }
            do throws(SystemError) {
                port = try SystemCall.localAddress(of: first).port
                // Set after `listen`: set before, it would let the bind succeed on a port on which
                // another server of the same user listens.
                if loops > 1 { try SystemCall.reusePort(first) }
            } catch {
                throw .system(error)
            }
            isListening = true
            body(0, first)
            for loop in 1..<max(loops, 1) { body(loop, try open(isFirst: false)) }
        }
        guard isListening else { throw .unknownHost(configuration.host) }
        return port
    }

    /// Every loop accepts on the same socket.
    private static func share(
        _ inherited: CInt,
        loops: Int,
        _ body: (_ loop: Int, _ socket: consuming FileDescriptor) -> Void
    ) throws(HTTPServerError) -> Int {
        do throws(SystemError) {
            let first = try SystemCall.duplicate(inherited)
            let port = try SystemCall.localAddress(of: first).port
            body(0, first)
            for loop in 1..<max(loops, 1) { body(loop, try SystemCall.duplicate(inherited)) }
            return port
        } catch {
            throw .system(error)
        }
    }

    /// A socket for a child process to inherit, on the first address of the host, and its port.
    static func hold(host: String, port: Int) throws(HTTPServerError) -> (descriptor: CInt, port: Int) {
        guard let address = try resolve(host, port).first else { throw .unknownHost(host) }
        do throws(SystemError) {
            let socket = try open(address.withPort(port), isFirst: true, isAlone: true)
            let port = try SystemCall.localAddress(of: socket).port
            return (socket.release(), port)
        } catch {
            throw HTTPServerError(error, host: host, port: port)
        }
    }

    private static func resolve(_ host: String, _ port: Int) throws(HTTPServerError) -> [SocketAddress] {
        let addresses = try? SocketAddress.resolve(host: host, port: port)
        guard let addresses, !addresses.isEmpty else { throw .unknownHost(host) }
        // The hosts file may list one twice, which would look like another program on our port.
        var known: Set<String> = []
        return addresses.filter { known.insert($0.description).inserted }
    }

    /// The first socket on an address finds out whether the port is taken. `::` includes IPv4, unless
    /// IPv4 has a socket of its own (`isAlone`).
    private static func open(
        _ address: SocketAddress,
        isFirst: Bool,
        isAlone: Bool
    ) throws(SystemError) -> FileDescriptor {
        let socket = try SystemCall.makeSocket(for: address)
        try SystemCall.reuseAddress(socket)
        if !isFirst { try SystemCall.reusePort(socket) }
        if address.isIPv6 { try SystemCall.setIPv6Only(socket, !isAlone) }
        // Accepted connections inherit both.
        SystemCall.disableDelay(socket)
        SystemCall.limitUnsentBytes(socket)
        try SystemCall.bind(socket, to: address)
        try SystemCall.listen(socket, backlog: backlog)
        return socket
    }
}
