package import SwiftletEventLoop

/// An HTTP/1.1 server on the loops of a group.
package final class HTTPServer: Sendable {
    /// The port that it listens on, also when the system has chosen it.
    package let localPort: Int
    private let workers: [LoopBound<Worker>]
    private let counters: [WorkerCounters]
    private let certificates: TLSCertificates?

    private init(
        localPort: Int,
        workers: [LoopBound<Worker>],
        counters: [WorkerCounters],
        certificates: TLSCertificates?
    ) {
        self.certificates = certificates
        self.localPort = localPort
        self.workers = workers
        self.counters = counters
    }

    /// Listens on every loop of the group. When it returns, clients can connect.
    package static func start(
        _ configuration: HTTPServerConfiguration,
        on group: EventLoopGroup,
        handler: HTTPHandler
    ) throws(HTTPServerError) -> HTTPServer {
        let certificates: TLSCertificates?
        do throws(TLSError) {
            certificates = try configuration.tls.map(TLSCertificates.init)
        } catch {
            throw .tls(error)
        }
        let admission = Admission(
            maximum: configuration.maximumConnections,
            share: configuration.maximumConnectionsPerAddress
        )
        let workers = group.loops.map { loop in
            Worker(
                loop: loop,
                configuration: configuration,
                handler: handler,
                admission: admission,
                certificates: certificates
            )
        }
        let port = try ListeningSockets.open(configuration, loops: workers.count) { index, socket in
            workers[index].add(socket)
        }
        let counters = workers.map(\.counters)
        let bound = workers.map { LoopBound($0, on: $0.loop) }
        for worker in bound {
            worker.loop.execute { worker.value.start() }
        }
        return HTTPServer(localPort: port, workers: bound, counters: counters, certificates: certificates)
    }

    /// Listens for another process, which inherits the socket as ``HTTPServerConfiguration/inheritedSocket``. Clients wait
    /// in the kernel's queue until that accepts them. Returns the descriptor, which is not closed, and the port.
    package static func holdSocket(host: String, port: Int) throws(HTTPServerError) -> (descriptor: CInt, port: Int) {
        try ListeningSockets.hold(host: host, port: port)
    }

    /// Stops accepting and waits until every connection has ended.
    ///
    /// Requests that have arrived are answered, the last one on each connection with `Connection: close`. Connections
    /// that are still open after `grace` are closed and their requests cancelled.
    package func shutdown(grace: Duration) async {
        await withCheckedContinuation { continuation in
            beginShutdown(grace: grace) { continuation.resume() }
        }
    }

    func beginShutdown(grace: Duration, _ completion: @escaping @Sendable () -> Void) {
        let remaining = Countdown(workers.count, completion)
        for worker in workers {
            worker.loop.execute {
                worker.value.drain(within: grace) { remaining.countDown() }
            }
        }
    }

    /// Reads certificate and key again, if there are any. On an error the old ones stay in use.
    package func reloadTLS() throws(TLSError) { try certificates?.reload() }

    package var statistics: HTTPServerStatistics {
        HTTPServerStatistics(loops: counters.map(\.values))
    }
}
