import SwiftletRealtime

extension RealtimeStatistics {
    /// Prometheus text format 0.0.4.
    var metrics: String {
        var lines = ""
        func metric(_ name: String, type: String, help: String, _ value: Int) {
            let name = "swiftlet_realtime_\(name)"
            lines += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n"
        }
        metric("sockets_open", type: "gauge", help: "Open sockets of /realtime/v1.", sockets)
        metric("channels_open", type: "gauge", help: "Joined channels.", channels)
        metric("messages_total", type: "counter", help: "Messages of clients.", messages)
        metric("refused_joins_total", type: "counter", help: "Joins that were refused.", refusedJoins)
        metric("peers", type: "gauge", help: "Other servers that this one hears.", peers)
        metric(
            "bus_connected",
            type: "gauge",
            help: "Whether this server hears others, by PostgreSQL or REALTIME_BUS.",
            isBusConnected ? 1 : 0
        )
        metric("bus_lost_total", type: "counter", help: "Messages that did not get to other servers.", lost)
        return lines
    }
}
