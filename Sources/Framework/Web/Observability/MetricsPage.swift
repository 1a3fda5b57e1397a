import SwiftletPostgres

/// `/metrics` in Prometheus' text format, version 0.0.4.
struct MetricsPage: Sendable {
    private let server: ServerState
    private let observer: RequestObserver
    private let more: @Sendable () async -> String

    init(_ server: ServerState, _ observer: RequestObserver, more: @escaping @Sendable () async -> String) {
        self.server = server
        self.observer = observer
        self.more = more
    }

    func response() async -> Response {
        var response = Response(body: Array(await text().utf8))
        response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return response
    }

    func text() async -> String {
        var text = requests()
        text += gauge("swiftlet_requests_in_flight", help: "Requests being answered.", [("", observer.inFlight)])
        text += database(await server.database.statistics())
        text += server.replicas?.metrics ?? ""
        text += await more()
        return text
    }

    private func requests() -> String {
        var counts = "# HELP swiftlet_requests_total Answered requests.\n# TYPE swiftlet_requests_total counter\n"
        var latencies = """
            # HELP swiftlet_request_duration_seconds From the request's last byte to its answer.
            # TYPE swiftlet_request_duration_seconds histogram

            """
        for (name, snapshot) in byName() {
            for count in snapshot.counts.sorted(by: { ($0.method, $0.status) < ($1.method, $1.status) }) {
                let labels = "function=\"\(name)\",method=\"\(count.method)\",status=\"\(count.status)\""
                counts += "swiftlet_requests_total{\(labels)} \(count.requests)\n"
            }
            latencies += histogram(name, snapshot)
        }
        return counts + latencies
    }

    /// The endpoints of a function form one series.
    private func byName() -> [(String, EndpointMetrics.Snapshot)] {
        var merged: [String: EndpointMetrics.Snapshot] = [:]
        // An endpoint can have several paths, as / and /health, but counts once.
        var known: Set<ObjectIdentifier> = []
        for endpoint in observer.watched where known.insert(ObjectIdentifier(endpoint)).inserted {
            merged[endpoint.name, default: EndpointMetrics.Snapshot()].add(endpoint.metrics.snapshot)
        }
        return merged.filter { !$0.value.counts.isEmpty }.sorted { $0.key < $1.key }
    }

    private func histogram(_ name: String, _ snapshot: EndpointMetrics.Snapshot) -> String {
        var text = ""
        var sum = 0
        for (bound, count) in zip(EndpointMetrics.boundsMicroseconds, snapshot.buckets) {
            sum += count
            let seconds = Double(bound) / 1_000_000
            text += "swiftlet_request_duration_seconds_bucket{function=\"\(name)\",le=\"\(seconds)\"} \(sum)\n"
        }
        sum += snapshot.buckets.last ?? 0
        let seconds = Double(snapshot.totalNanoseconds) / 1_000_000_000
        text += "swiftlet_request_duration_seconds_bucket{function=\"\(name)\",le=\"+Inf\"} \(sum)\n"
        text += "swiftlet_request_duration_seconds_sum{function=\"\(name)\"} \(seconds)\n"
        text += "swiftlet_request_duration_seconds_count{function=\"\(name)\"} \(sum)\n"
        return text
    }

    private func gauge(_ name: String, help: String, _ values: [(labels: String, value: Int)]) -> String {
        series(name, help: help, type: "gauge", values)
    }

    private func counter(_ name: String, help: String, _ values: [(labels: String, value: Int)]) -> String {
        series(name, help: help, type: "counter", values)
    }

    private func series(
        _ name: String,
        help: String,
        type: String,
        _ values: [(labels: String, value: Int)]
    ) -> String {
        let lines = values.map { "\(name)\($0.labels) \($0.value)\n" }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n" + lines.joined()
    }

    private func database(_ loops: [DatabaseStatistics]) -> String {
        func perLoop(_ value: (DatabaseStatistics) -> Int) -> [(labels: String, value: Int)] {
            loops.enumerated().map { ("{loop=\"\($0.offset)\"}", value($0.element)) }
        }
        return gauge("swiftlet_database_connections", help: "Open database connections.", perLoop(\.connectionsUp))
            + gauge("swiftlet_database_queries_in_flight", help: "Queries sent and not answered.", perLoop(\.inFlight))
            + gauge("swiftlet_database_waiters", help: "Queries waiting for a connection.", perLoop(\.waiting))
            + counter("swiftlet_database_retries_total", help: "Queries that were sent again.", perLoop(\.totalRetried))
            + counter(
                "swiftlet_database_refusals_total",
                help: "Queries that got no connection.",
                perLoop(\.totalOverloaded)
            )
            + counter(
                "swiftlet_database_losses_total",
                help: "Connections that broke.",
                perLoop(\.totalConnectionsLost)
            )
    }
}

extension EndpointMetrics.Snapshot {
    mutating func add(_ other: EndpointMetrics.Snapshot) {
        for position in buckets.indices {
            buckets[position] += other.buckets[position]
        }
        totalNanoseconds &+= other.totalNanoseconds
        for count in other.counts {
            if let same = counts.firstIndex(where: { $0.status == count.status && $0.method == count.method }) {
                counts[same].requests += count.requests
            } else {
                counts.append(count)
            }
        }
    }
}
