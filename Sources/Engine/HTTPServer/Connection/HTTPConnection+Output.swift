import SwiftletEventLoop
import SwiftletHTTP

/// Responses on their way to the client.
extension HTTPConnection {
    /// Ends the exchange. `isHead` is told where there is none.
    func send(_ response: Response, isHead: Bool = false, keepAlive: Bool) {
        let isHead = exchange?.isHead ?? isHead
        let version = exchange?.request.version ?? .http11
        endExchange()
        let mayHaveMore = keepAlive && !incoming.isEmpty
        func serialize(to output: inout [UInt8]) {
            ResponseSerializer.append(
                response,
                to: &output,
                isHead: isHead,
                version: version,
                keepAlive: keepAlive,
                date: worker.date
            )
        }
        guard output.isEmpty, !mayHaveMore else {
            serialize(to: &output.bytes)
            return sendLater(mayHaveMore: mayHaveMore)
        }
        serialize(to: &worker.output)
        sendNow()
    }

    /// The usual case: no other response is ready or about to be, so this one is sent by itself.
    private func sendNow() {
        switch worker.sendOutput(over: transport, keepingRestIn: &output) {
        case .failed: close()
        case .bytes, .wouldBlock, .endOfStream:
            if output.isEmpty { outputEmptied() } else { outputBlocked(hasProgressed: true) }
        }
    }

    /// The client has pipelined requests: the responses that are ready in this turn share a write.
    private func sendLater(mayHaveMore: Bool) {
        guard mayHaveMore, !isBlocked, output.count < Self.maximumOutputBytes else { return flush() }
        advance()
        guard state.phase == .responding else { return flush() }
        flushLater()
    }

    /// At the end of the turn.
    func flushLater() {
        guard !flushIsDue else { return }
        flushIsDue = true
        worker.flushAfterTurn(self)
    }

    func flush() {
        flushIsDue = false
        guard !state.isClosed else { return }
        if webSocket?.isOverloaded == true { return closeUnread() }
        guard !output.isEmpty else { return outputEmptied() }
        switch output.write(over: transport) {
        case .bytes(let count):
            output.consume(count)
            if output.isEmpty { outputEmptied() } else { outputBlocked(hasProgressed: true) }
        case .wouldBlock, .endOfStream: outputBlocked(hasProgressed: false)
        case .failed: close()
        }
    }

    func outputEmptied() {
        isBlocked = false
        holdOutput()
        resumeStream()
        let action = state.outputEmptied(hasFurtherInput: !incoming.isEmpty, at: worker.loop.now)
        updateInterest()
        webSocket?.outputEmptied()
        perform(action)
    }

    private func outputBlocked(hasProgressed: Bool) {
        state.outputBlocked(hasProgressed: hasProgressed, at: worker.loop.now)
        isBlocked = true
        output.trim()
        holdOutput()
        if isStreaming {
            if hasProgressed { state.transferProgressed(at: worker.loop.now) }
            resumeStream()
        }
        webSocket?.outputBlocked(hasProgressed: hasProgressed)
        updateInterest()
        armTimer()
    }

    func updateInterest() {
        var wanted = Interest(rawValue: 0)
        if isBlocked { wanted.insert(.write) }
        // A shutdown finishes uploads as well.
        let readsBody = wantsBody && state.phase == .responding
        let wantsInput = state.wantsInput(whileBuffered: incoming.bufferedBytes, limit: Self.maximumPipelinedBytes)
        if readsBody || (wantsInput && webSocket?.wantsInput != false) {
            wanted.formUnion(transport.readInterest(isBlocked: isBlocked))
        }
        setInterest(wanted)
    }

    func setInterest(_ wanted: Interest) {
        guard wanted != interest, let registration else { return }
        interest = wanted
        worker.loop.update(registration, wanted)
    }
}
