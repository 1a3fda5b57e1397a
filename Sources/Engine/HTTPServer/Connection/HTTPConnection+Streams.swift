import SwiftletEventLoop
import SwiftletHTTP

/// Content that is read while it arrives, and bodies that are produced while they are sent.
extension HTTPConnection {
    /// The handler waits for content.
    var wantsBody: Bool { exchange?.intake.isWanted == true }

    /// A response is being produced.
    var isStreaming: Bool { exchange?.streamed != nil }

    /// How the task sends bodies that are produced meanwhile.
    var streaming: ResponseStreaming {
        ResponseStreaming(
            begin: { [unowned self] response in beginStream(response) },
            finish: { [unowned self] isWhole in finishStream(isWhole: isWhole) },
            makeSink: { [unowned self] in ConnectionSink(self, on: worker.loop) }
        )
    }

    /// From now on, the handler's waiting for content is heard.
    func begin(_ stream: BodyStream) {
        let connection = LoopBound(WeakConnection(self), on: worker.loop)
        stream.onDemand { connection.loop.execute { connection.value.connection?.bodyWanted(by: stream) } }
    }

    /// The handler waits for content of its request.
    func bodyWanted(by stream: BodyStream) {
        guard state.phase == .responding, exchange?.request.bodyStream === stream, incoming.isStreaming
        else { return }
        exchange?.intake.isWanted = true
        if stream.awaitsContinue, exchange?.intake.hasSentContinue == false, incoming.isEmpty {
            exchange?.intake.hasSentContinue = true
            ResponseSerializer.appendContinue(to: &output.bytes)
            flush()
        }
        takeBody()
    }

    /// The client sends nothing more. What has arrived may be all of the content.
    func bodyEnded() {
        exchange?.intake.isWanted = false
        guard incoming.isStreaming else { return }
        if !incoming.isEmpty { _ = incoming.stream() }
        if incoming.isStreaming { exchange?.request.bodyStream?.end(RequestBodyError.incomplete) }
    }

    /// Hands over what has arrived. One piece is enough until the handler asks again.
    func takeBody() {
        if let stream = exchange?.request.bodyStream, !incoming.isEmpty {
            let kept = incoming.bufferedBytes
            let before = stream.progress
            exchange?.intake.isWanted = incoming.stream() && stream.progress == before
            if exchange?.intake.took(kept - incoming.bufferedBytes, of: Self.freeBodyBytes) == true {
                state.transferProgressed(at: worker.loop.now)
            }
        }
        updateInterest()
        armTimer()
    }

    func beginStream(_ response: borrowing Response) -> Bool {
        let version = exchange?.request.version ?? .http11
        guard exchange?.isHead == false, response.status.hasContent, !state.isClosed else { return false }
        exchange?.intake.isWanted = false
        let length = response.stream?.length
        exchange?.streamed = StreamedResponse(isChunked: length == nil && version != .http10, missing: length)
        ResponseSerializer.append(response, to: &output.bytes, version: version, keepAlive: false, date: worker.date)
        flush()
        return !state.isClosed
    }

    func write(_ bytes: [UInt8], then continuation: CheckedContinuation<Result<Void, any Error>, Never>) {
        guard !state.isClosed, var stream = exchange?.streamed, stream.waiter == nil else {
            return continuation.resume(returning: .failure(CancellationError()))
        }
        guard stream.take(bytes.count) else {
            return continuation.resume(returning: .failure(ResponseStreamError.tooLong))
        }
        stream.waiter = continuation
        exchange?.streamed = stream
        if stream.isChunked { ResponseSerializer.appendChunk(bytes, to: &output.bytes) } else { output.bytes += bytes }
        state.transferProgressed(at: worker.loop.now)
        if isBlocked { resumeStream() } else { flush() }
    }

    /// Lets the producer go on, once there is room for more.
    func resumeStream() {
        guard state.isClosed || output.count <= Self.maximumStreamedBytes,
            let waiter = exchange?.streamed?.waiter.take()
        else { return }
        waiter.resume(returning: state.isClosed ? .failure(CancellationError()) : .success(()))
    }

    func finishStream(isWhole: Bool) {
        guard let stream = exchange?.streamed, !state.isClosed else { return }
        guard isWhole, stream.missing ?? 0 == 0 else { return reset() }
        if stream.isChunked { ResponseSerializer.appendLastChunk(to: &output.bytes) }
        _ = state.responseReady(
            closes: true,
            hasFurtherRequest: false,
            hasUnusedInput: !incoming.isEmpty,
            at: worker.loop.now
        )
        endExchange()
        flush()
        armTimer()
    }

    /// Closes so that the client cannot take what it has got for the whole.
    func reset() {
        transport.resetOnClose()
        close()
    }
}
