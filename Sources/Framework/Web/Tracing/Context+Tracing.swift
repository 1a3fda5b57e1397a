extension Context {
    package var isTraced: Bool { trace != nil }

    /// Begins a part of the request for its trace: to be ended when it is done. nil where nothing is recorded.
    package func beginSpan() -> OpenSpan? { trace?.part() }

    /// Ends the trace of work in the background.
    package func endTrace(_ name: String, isFailed: Bool) {
        let attributes: [(name: String, value: TraceSpan.Value)] = [("swiftlet.request_id", .text(requestID))]
        trace?.end(name, .consumer, attributes, isFailed: isFailed)
    }

    /// Records statements that are sent together, each as a span of its own.
    func traced<Value, Failure>(
        _ statements: @autoclosure () -> [String],
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let trace, trace.context.isSampled else { return try await work() }
        let texts = statements()
        let spans = texts.compactMap { _ in trace.part() }
        do throws(Failure) {
            let value = try await work()
            for (span, text) in zip(spans, texts) { span.end(statement: text, isFailed: false) }
            return value
        } catch {
            for (span, text) in zip(spans, texts) { span.end(statement: text, isFailed: true) }
            throw error
        }
    }
}
