package import EventLoop

/// An HTTP/1.1 server on the loops of a group.
package final class HTTPServer: Sendable {
    /// The port that it listens on, also when the system chose it.
    package let localPort: Int
    private let workers: [LoopBound<Worker>]
    private let counters: [WorkerCounters]

    private init(localPort: Int, workers: [LoopBound<Worker>], counters: [WorkerCounters]) {
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
        let admission = Admission(maximum: configuration.maximumConnections)
        let workers = group.loops.map { loop in
            Worker(loop: loop, configuration: configuration, handler: handler, admission: admission)
        }
        let port = try ListeningSockets.open(configuration, loops: workers.count) { index, socket in
            workers[index].add(socket)
        }
        let counters = workers.map(\.counters)
        let bound = workers.map { LoopBound($0, on: $0.loop) }
        for worker in bound {
            worker.loop.execute { worker.value.start() }
        }
        return HTTPServer(localPort: port, workers: bound, counters: counters)
    }

    /// Stops accepting and waits until every connection has ended.
    ///
    /// Requests that have arrived are answered, the last on each connection with `Connection: close`. What is not done
    /// after `grace` is cancelled and cut off.
    package func shutdown(grace: Duration) async {
        await withTaskGroup { group in
            for worker in workers {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        worker.loop.execute {
                            worker.value.drain(within: grace) { continuation.resume() }
                        }
                    }
                }
            }
        }
    }

    package var statistics: HTTPServerStatistics {
        HTTPServerStatistics(loops: counters.map(\.values))
    }
}
