import HTTPServer
import Synchronization

/// The listener's figures for `/metrics`. The application is made before the listener, so it asks here.
final class StatisticsSource: Sendable {
    private let server = Mutex<HTTPServer?>(nil)

    func watch(_ server: HTTPServer) { self.server.withLock { $0 = server } }

    /// Prometheus text format 0.0.4.
    var metrics: String {
        guard let statistics = server.withLock({ $0 })?.statistics else { return "" }
        var lines = ""
        func metric(_ name: String, _ type: String, _ value: (HTTPServerStatistics.Loop) -> Int) {
            lines += "# TYPE swiftlet_\(name) \(type)\n"
            for (index, loop) in statistics.loops.enumerated() {
                lines += "swiftlet_\(name){loop=\"\(index)\"} \(value(loop))\n"
            }
        }
        metric("connections_open", "gauge") { $0.openConnections }
        metric("connections_accepted_total", "counter") { $0.acceptedConnections }
        metric("connection_requests_total", "counter") { $0.requests }
        metric("connection_refusals_total", "counter") { $0.refusals }
        metric("accept_failures_total", "counter") { $0.acceptFailures }
        return lines
    }
}
