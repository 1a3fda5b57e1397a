import EventLoop

/// Opens the sockets on which the loops accept connections.
enum ListeningSockets {
    /// Opens one socket per address and loop, all on the same port, and returns that port. `body` takes them, for each
    /// address the one of the first loop first.
    static func open(
        _ configuration: HTTPServerConfiguration,
        loops: Int,
        _ body: (_ loop: Int, _ socket: consuming FileDescriptor) -> Void
    ) throws(HTTPServerError) -> Int {
        var port = configuration.port
        var isListening = false
        let addresses = try resolve(configuration.host, port)
        for address in addresses {
            let options = Options(
                backlog: configuration.backlog,
                isFirst: true,
                isAlone: addresses.count == 1,
                host: configuration.host
            )
            let first: FileDescriptor
            do throws(HTTPServerError) {
                first = try open(address.withPort(port), options)
            } catch {
                // A name such as localhost may have an address of a family that this machine does not support.
                if case .unknownHost = error, addresses.count > 1 { continue }
                throw error
            }
            do throws(SystemError) {
                port = try SystemCall.localAddress(of: first).port
                // Set after `listen`: set before, it would let the bind succeed on a port on which another server of the
                // same user listens.
                if loops > 1 { try SystemCall.reusePort(first) }
            } catch {
                throw .system(error)
            }
            isListening = true
            body(0, first)
            for loop in 1..<max(loops, 1) {
                var options = options
                options.isFirst = false
                body(loop, try open(address.withPort(port), options))
            }
        }
        guard isListening else { throw .unknownHost(configuration.host) }
        return port
    }

    private struct Options {
        var backlog: CInt
        /// The first socket on an address finds out whether the port is taken.
        var isFirst: Bool
        /// `::` includes IPv4, unless IPv4 has a socket of its own.
        var isAlone: Bool
        var host: String
    }

    private static func resolve(_ host: String, _ port: Int) throws(HTTPServerError) -> [SocketAddress] {
        do throws(SystemError) {
            let addresses = try SocketAddress.resolve(host: host, port: port)
            guard !addresses.isEmpty else { throw SystemError("getaddrinfo", 0, subject: host) }
            return addresses
        } catch {
            throw .unknownHost(host)
        }
    }

    private static func open(
        _ address: SocketAddress,
        _ options: Options
    ) throws(HTTPServerError) -> FileDescriptor {
        do throws(SystemError) {
            let socket = try SystemCall.makeSocket(for: address)
            try SystemCall.reuseAddress(socket)
            if !options.isFirst { try SystemCall.reusePort(socket) }
            if address.isIPv6 { try SystemCall.setIPv6Only(socket, !options.isAlone) }
            // Accepted connections inherit it.
            SystemCall.disableDelay(socket)
            try SystemCall.bind(socket, to: address)
            try SystemCall.listen(socket, backlog: options.backlog)
            return socket
        } catch {
            throw HTTPServerError(error, host: options.host, port: address.port)
        }
    }
}
