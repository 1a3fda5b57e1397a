/// Which traces are recorded: the samplers of `OTEL_TRACES_SAMPLER` (OpenTelemetry, "General SDK Configuration").
package struct TraceSampler: Hashable, Sendable {
    /// The share of new traces, from 0 to 1.
    let ratio: Double
    /// Whether a caller's decision counts instead.
    let followsParent: Bool

    package init(ratio: Double, followsParent: Bool) {
        self.ratio = ratio
        self.followsParent = followsParent
    }

    /// `argument` is the ratio of the samplers that take one. nil for an unknown name, or what is no ratio.
    package init?(named name: String, argument: String?) {
        guard let ratio = argument.map(Double.init) ?? 1, (0...1).contains(ratio) else { return nil }
        switch name.lowercased() {
        case "always_on": self.init(ratio: 1, followsParent: false)
        case "always_off": self.init(ratio: 0, followsParent: false)
        case "traceidratio": self.init(ratio: ratio, followsParent: false)
        case "parentbased_always_on": self.init(ratio: 1, followsParent: true)
        case "parentbased_always_off": self.init(ratio: 0, followsParent: true)
        case "parentbased_traceidratio": self.init(ratio: ratio, followsParent: true)
        default: return nil
        }
    }

    package static let names = [
        "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
        "parentbased_traceidratio",
    ]

    /// Decides by the trace's id, so that all servers decide alike.
    func takes(_ low: UInt64) -> Bool {
        if ratio >= 1 { return true }
        return Double(low >> 1) < ratio * 0x1p63
    }

    /// The span of a request in the caller's trace, or in a new one.
    func begin(_ parent: TraceContext?) -> TraceContext {
        guard let parent else { return TraceContext(isSampled: takes) }
        let isSampled = followsParent ? parent.isSampled : takes(parent.low)
        return TraceContext(high: parent.high, low: parent.low, span: .random(in: 1 ... .max), isSampled: isSampled)
    }
}
