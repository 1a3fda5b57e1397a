import Synchronization

/// A sample of a server's counters each ten seconds, for an hour, in memory.
package final class MetricsHistory: Sendable {
    package struct Sample: Sendable {
        /// Since 1970.
        package let milliseconds: Int
        /// Sums over all functions and loops, by the names of `/metrics` without labels. Requests have their status's
        /// first digit behind them, buckets their bound.
        package let values: [String: Double]
    }

    package static let interval = Duration.seconds(10)
    private static let capacity = 361

    private let samples = Mutex<[Sample]>([])

    package init() {}

    package var all: [Sample] { samples.withLock(\.self) }

    package func add(_ metrics: String, at milliseconds: Int) {
        let sample = Sample(milliseconds: milliseconds, values: Self.sums(metrics))
        samples.withLock { samples in
            samples.append(sample)
            if samples.count > Self.capacity { samples.removeFirst() }
        }
    }

    /// Adds up what differs in labels only.
    package static func sums(_ metrics: String) -> [String: Double] {
        var sums: [String: Double] = [:]
        for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            let series = line[..<space]
            var name = String(series.prefix { $0 != "{" })
            if let status = label("status", in: series) { name += " \(status.prefix(1))" }
            if let bound = label("le", in: series) { name += " \(bound)" }
            sums[name, default: 0] += value
        }
        return sums
    }

    private static func label(_ name: String, in series: Substring) -> Substring? {
        guard let range = series.range(ofText: "\(name)=\"") else { return nil }
        return series[range.upperBound...].prefix { $0 != "\"" }
    }
}

extension Substring {
    fileprivate func range(ofText text: String) -> Range<Index>? { ranges(of: text).first }
}
