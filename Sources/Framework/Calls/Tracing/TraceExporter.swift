package import SwiftletOutbound
package import SwiftletWeb
import Synchronization

/// Sends recorded spans to a collector in batches, off every request's way.
///
/// A batch that the collector cannot take now is sent again with the next one's time, three times in all; what is
/// refused, or still waits then, is dropped and counted.
package final class TraceExporter: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Of the collector's traces: `http://collector:4318/v1/traces`.
        package var url: String
        package var headers: [String: String] = [:]
        package var service = "swiftlet"
        package var version = "dev"
        package var interval = Duration.seconds(1)

        package init(url: String) { self.url = url }
    }

    private struct Waiting {
        var spans: [TraceSpan] = []
        var attempts = 0
    }

    private static let batchSize = 512
    private static let maximumAttempts = 3

    private let settings: Settings
    private let queue: SpanQueue
    private let http: HTTPEngine
    private let onFailure: @Sendable (_ reason: String) -> Void
    private let waiting = Mutex(Waiting())
    private let sentCount = Atomic<Int>(0)

    /// `onFailure` is called for each batch that is dropped.
    package init(
        _ settings: Settings,
        _ queue: SpanQueue,
        _ http: HTTPEngine,
        onFailure: @escaping @Sendable (_ reason: String) -> Void
    ) {
        self.settings = settings
        self.queue = queue
        self.http = http
        self.onFailure = onFailure
    }

    /// Sends until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: settings.interval)
            if !Task.isCancelled { await flush() }
        }
    }

    /// Sends what waits for the last time: each batch once, and nothing more after one that the collector does not take soon.
    package func finish() async { await flush(within: .seconds(2), maximumAttempts: 1) }

    /// Sends what waits; returns early when the collector takes nothing. Only one call at a time.
    package func flush() async { await flush(within: .seconds(10), maximumAttempts: Self.maximumAttempts) }

    private func flush(within limit: Duration, maximumAttempts: Int) async {
        while true {
            var batch = waiting.withLock { waiting in
                defer { waiting = Waiting() }
                return waiting
            }
            if batch.spans.isEmpty { batch.spans = queue.take(Self.batchSize) }
            guard !batch.spans.isEmpty else { return }
            guard let failure = await send(batch.spans, within: limit) else { continue }
            batch.attempts += 1
            guard failure.isLasting || batch.attempts >= maximumAttempts else {
                waiting.withLock { $0 = batch }
                return
            }
            queue.noteDropped(batch.spans.count)
            onFailure(failure.reason)
            if maximumAttempts == 1 { return }
        }
    }

    /// Prometheus text.
    package var metrics: String {
        """
        # HELP swiftlet_trace_spans_total Spans sent to the collector, and dropped.
        # TYPE swiftlet_trace_spans_total counter
        swiftlet_trace_spans_total{result="sent"} \(sentCount.load(ordering: .relaxed))
        swiftlet_trace_spans_total{result="dropped"} \(queue.dropped)

        """
    }

    private func send(_ spans: [TraceSpan], within limit: Duration) async -> (reason: String, isLasting: Bool)? {
        let body = TraceRequest.body(spans, service: settings.service, version: settings.version)
        var headers = settings.headers.map { (name: $0.key, value: $0.value) }
        headers.append(("Content-Type", "application/json"))
        var request = HTTPRequest("POST", settings.url, body: body, headers: headers)
        request.timeout = limit
        do {
            let response = try await http.send(request)
            if response.isSuccess {
                sentCount.wrappingAdd(spans.count, ordering: .relaxed)
                return nil
            }
            // OTLP/HTTP, "Failures": only these are worth another attempt.
            return ("status \(response.status)", ![429, 502, 503, 504].contains(response.status))
        } catch {
            return ("\(error)", false)
        }
    }
}
