/// Records what requests and jobs do, as far as the sampler takes them.
package struct Tracer: Sendable {
    package let queue: SpanQueue
    private let sampler: TraceSampler

    package init(_ sampler: TraceSampler, to queue: SpanQueue) {
        self.sampler = sampler
        self.queue = queue
    }

    /// `parent` is the caller's `traceparent`.
    func begin(_ parent: String?, _ clock: ServerClock) -> Trace {
        let parent = parent.flatMap { TraceContext($0) }
        return Trace(sampler.begin(parent), parent: parent?.span, queue, clock)
    }
}

/// One request or job in its trace.
final class Trace: Sendable {
    let context: TraceContext
    private let parent: UInt64?
    private let queue: SpanQueue
    private let clock: ServerClock
    /// The moment of both clocks at its beginning.
    private let startNanoseconds: UInt64
    private let startTime: UInt64

    init(_ context: TraceContext, parent: UInt64?, _ queue: SpanQueue, _ clock: ServerClock) {
        self.context = context
        self.parent = parent
        self.queue = queue
        self.clock = clock
        startNanoseconds = clock.nanoseconds()
        startTime = UInt64(max(0, clock.milliseconds())) &* 1_000_000
    }

    /// Begins a part of it; nil if nothing is recorded.
    func part() -> OpenSpan? {
        context.isSampled ? OpenSpan(trace: self, context: context.child(), start: clock.nanoseconds()) : nil
    }

    /// Ends the whole.
    func end(
        _ name: String,
        _ kind: TraceSpan.Kind,
        _ attributes: [(name: String, value: TraceSpan.Value)],
        isFailed: Bool
    ) {
        guard context.isSampled else { return }
        record(context, parent: parent, name, kind, since: startNanoseconds, attributes, isFailed)
    }

    fileprivate func end(
        _ span: OpenSpan,
        _ name: String,
        _ kind: TraceSpan.Kind,
        _ attributes: [(name: String, value: TraceSpan.Value)],
        _ isFailed: Bool
    ) {
        record(span.context, parent: context.span, name, kind, since: span.start, attributes, isFailed)
    }

    private func record(
        _ context: TraceContext,
        parent: UInt64?,
        _ name: String,
        _ kind: TraceSpan.Kind,
        since start: UInt64,
        _ attributes: [(name: String, value: TraceSpan.Value)],
        _ isFailed: Bool
    ) {
        queue.add(
            TraceSpan(
                context: context,
                parent: parent,
                name: name,
                kind: kind,
                start: startTime &+ (start &- startNanoseconds),
                end: startTime &+ (clock.nanoseconds() &- startNanoseconds),
                attributes: attributes,
                isFailed: isFailed
            )
        )
    }
}

/// A part of a request that has begun.
package struct OpenSpan: Sendable {
    fileprivate let trace: Trace
    /// Goes with calls to other services, as their parent.
    package let context: TraceContext
    fileprivate let start: UInt64

    package func end(
        _ name: String,
        _ kind: TraceSpan.Kind = .client,
        _ attributes: [(name: String, value: TraceSpan.Value)] = [],
        isFailed: Bool = false
    ) {
        trace.end(self, name, kind, attributes, isFailed)
    }

    private static let maximumText = 4096

    /// Ends the span of one statement. Its values are parameters, which are not recorded.
    package func end(statement text: String, isFailed: Bool) {
        let verb = text.prefix { !$0.isWhitespace }
        let shown = text.utf8.count > Self.maximumText ? String(text.prefix(Self.maximumText)) : text
        end(
            verb.uppercased(),
            .client,
            [("db.system.name", .text("postgresql")), ("db.query.text", .text(shown))],
            isFailed: isFailed
        )
    }
}
