import SwiftletHTTPServer
import Synchronization

/// The HTTP server's statistics for `/metrics`. It connects the application to the server that is created after it.
final class StatisticsSource: Sendable {
    private let server = Mutex<HTTPServer?>(nil)

    func watch(_ server: HTTPServer) { self.server.withLock { $0 = server } }

    /// Prometheus text format 0.0.4.
    var metrics: String {
        guard let statistics = server.withLock({ $0 })?.statistics else { return "" }
        var lines = ""
        func metric(_ name: String, type: String, help: String, _ value: (HTTPServerStatistics.Loop) -> Int) {
            lines += "# HELP swiftlet_\(name) \(help)\n# TYPE swiftlet_\(name) \(type)\n"
            for (index, loop) in statistics.loops.enumerated() {
                lines += "swiftlet_\(name){loop=\"\(index)\"} \(value(loop))\n"
            }
        }
        metric("connections_open", type: "gauge", help: "Open client connections.") { $0.openConnections }
        metric("connections_accepted_total", type: "counter", help: "Accepted client connections.") {
            $0.acceptedConnections
        }
        metric("connection_requests_total", type: "counter", help: "Requests that were handed to a function or page.") {
            $0.requests
        }
        metric(
            "connection_refusals_total",
            type: "counter",
            help: "Answers in a function's place: broken, too large or too slow requests, and too slow functions."
        ) { $0.refusals }
        metric(
            "accept_failures_total",
            type: "counter",
            help: "Connections that could not be accepted, for want of descriptors or memory."
        ) { $0.acceptFailures }
        metric("websockets_open", type: "gauge", help: "Open WebSockets.") { $0.openWebSockets }
        metric("websocket_frames_received_total", type: "counter", help: "Messages and control frames of WebSockets.") {
            $0.receivedFrames
        }
        metric("websocket_frames_sent_total", type: "counter", help: "Frames that were sent to WebSockets.") {
            $0.sentFrames
        }
        return lines
    }
}
