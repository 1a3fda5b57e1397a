import EventLoop

/// Opens the sockets on which the loops accept.
enum ListeningSockets {
    /// One socket per address and loop, all on the same port: those of the first loop come first.
    static func open(
        _ configuration: HTTPServerConfiguration,
        loops: Int,
        _ body: (_ loop: Int, _ socket: consuming FileDescriptor) -> Void
    ) throws(HTTPServerError) -> Int {
        var port = configuration.port
        for address in try resolve(configuration.host, port) {
            let first = try open(address.withPort(port), configuration, isFirst: true)
            do throws(SystemError) {
                port = try SystemCall.localAddress(of: first).port
                // Set behind `listen`: had it been set before, another server of the same user could have had the port
                // and the kernel would have said nothing.
                if loops > 1 { try SystemCall.shareAddress(first) }
            } catch {
                throw .system(error)
            }
            body(0, first)
            for loop in 1..<max(loops, 1) {
                body(loop, try open(address.withPort(port), configuration, isFirst: false))
            }
        }
        return port
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
        _ configuration: HTTPServerConfiguration,
        isFirst: Bool
    ) throws(HTTPServerError) -> FileDescriptor {
        do throws(SystemError) {
            let socket = try SystemCall.makeSocket(for: address)
            try SystemCall.reuseAddress(socket)
            if !isFirst { try SystemCall.shareAddress(socket) }
            // Connections inherit it.
            SystemCall.disableDelay(socket)
            try SystemCall.bind(socket, to: address)
            try SystemCall.listen(socket, backlog: configuration.backlog)
            return socket
        } catch  where error.isAddressInUse {
            throw .portTaken(host: configuration.host, port: address.port)
        } catch  where error.isPermissionDenied {
            throw .portForbidden(host: configuration.host, port: address.port)
        } catch  where error.isAddressUnknown {
            throw .unknownHost(configuration.host)
        } catch {
            throw .system(error)
        }
    }
}
