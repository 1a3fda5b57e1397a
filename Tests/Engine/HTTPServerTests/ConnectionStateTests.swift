import SwiftletEventLoop
import SwiftletHTTP
import Testing

@testable import SwiftletHTTPServer

/// The clock is a number that the test moves.
@Suite struct ConnectionStateTests {
    private static let timeouts = ConnectionState.Timeouts(
        header: .seconds(10),
        body: .seconds(20),
        request: .seconds(30),
        idle: .seconds(75),
        send: .seconds(40),
        linger: .seconds(2)
    )

    private func seconds(_ seconds: Int64) -> LoopInstant {
        LoopInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func makeState(isSecure: Bool = false) -> ConnectionState {
        ConnectionState(timeouts: Self.timeouts, isSecure: isSecure, now: seconds(0))
    }

    private func makeResponding(keepAlive: Bool = true) -> ConnectionState {
        var state = makeState()
        state.requestCompleted(keepAlive: keepAlive, at: seconds(0))
        return state
    }

    /// Whether the connection stays open behind the response.
    private func answer(
        _ state: inout ConnectionState,
        hasFurtherRequest: Bool = false,
        at now: LoopInstant
    ) -> Bool {
        state.responseReady(
            closes: false,
            hasFurtherRequest: hasFurtherRequest,
            hasUnusedInput: hasFurtherRequest,
            at: now
        )
    }

    @Test func `a connection without any request closes without a response`() {
        var state = makeState()
        #expect(state.deadlinePassed(at: seconds(9)) == .none)
        #expect(state.deadlinePassed(at: seconds(10)) == .close)
    }

    @Test func `a handshake has the time limit of a head, and the first request one of its own`() {
        var state = makeState(isSecure: true)
        #expect(state.phase == .handshaking)
        #expect(state.deadline == seconds(10))
        state.handshakeCompleted(at: seconds(9))
        #expect(state.phase == .idle)
        #expect(state.deadline == seconds(19))
        #expect(state.idleSince == seconds(9))
        var slow = makeState(isSecure: true)
        #expect(slow.deadlinePassed(at: seconds(10)) == .close)
    }

    @Test func `a head has one time limit, however slowly its bytes arrive`() {
        var state = makeState()
        #expect(state.requestIncomplete(.head, at: seconds(1)) == .none)
        #expect(state.requestIncomplete(.head, at: seconds(9)) == .none)
        #expect(state.deadline == seconds(11))
        #expect(state.deadlinePassed(at: seconds(11)) == .refuseSlowRequest)
    }

    @Test func `a body has its own time limit, from the end of the head`() {
        var state = makeState()
        _ = state.requestIncomplete(.head, at: seconds(1))
        _ = state.requestIncomplete(.body, at: seconds(5))
        _ = state.requestIncomplete(.body, at: seconds(24))
        #expect(state.deadline == seconds(25))
        #expect(state.deadlinePassed(at: seconds(25)) == .refuseSlowRequest)
    }

    @Test func `a handler that takes too long is replaced by a refusal`() {
        var state = makeResponding()
        #expect(state.deadlinePassed(at: seconds(29)) == .none)
        #expect(state.deadlinePassed(at: seconds(30)) == .refuseSlowHandler)
    }

    @Test func `an answered connection is idle again`() {
        var state = makeResponding()
        let staysOpen = state.responseReady(
            closes: false,
            hasFurtherRequest: false,
            hasUnusedInput: false,
            at: seconds(3)
        )
        #expect(staysOpen)
        #expect(state.phase == .idle)
        #expect(state.deadline == seconds(78))
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(3)) == .none)
        #expect(state.outputEmptied(hasFurtherInput: true, at: seconds(3)) == .proceed)
    }

    @Test(arguments: [
        // keepAlive, closes, unused input, peer finished → what follows
        (false, false, false, false, ConnectionState.Action.close),
        (false, false, true, false, .linger),
        (true, true, false, false, .linger),
        (true, true, false, true, .close),
        (true, false, false, true, .close),
    ])
    func `the last response is followed by an end that leaves it readable`(
        keepAlive: Bool,
        closes: Bool,
        hasUnusedInput: Bool,
        peerFinished: Bool,
        action: ConnectionState.Action
    ) {
        var state = makeResponding(keepAlive: keepAlive)
        if peerFinished { #expect(state.peerFinished() == .none) }
        let staysOpen = state.responseReady(
            closes: closes,
            hasFurtherRequest: false,
            hasUnusedInput: hasUnusedInput,
            at: seconds(1)
        )
        #expect(!staysOpen)
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(1)) == action)
    }

    @Test(arguments: [(false, ConnectionState.Action.linger), (true, .close)])
    func `a TLS client may still send its close_notify after it asked us to close`(
        peerFinished: Bool,
        action: ConnectionState.Action
    ) {
        var state = makeState(isSecure: true)
        state.handshakeCompleted(at: seconds(0))
        state.requestCompleted(keepAlive: false, at: seconds(0))
        if peerFinished { #expect(state.peerFinished() == .none) }
        #expect(!answer(&state, at: seconds(1)))
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(1)) == action)
    }

    @Test func `a half-closed client gets the responses to all its requests`() {
        var state = makeResponding()
        #expect(state.peerFinished() == .none)
        #expect(state.mayBeLastResponse)
        #expect(answer(&state, hasFurtherRequest: true, at: seconds(1)))
        state.requestCompleted(keepAlive: true, at: seconds(1))
        #expect(!answer(&state, hasFurtherRequest: false, at: seconds(2)))
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(2)) == .close)
    }

    @Test(arguments: [RequestParser.Phase.idle, .head, .body])
    func `a request that can no longer be completed closes the connection`(progress: RequestParser.Phase) {
        var state = makeState()
        _ = state.requestIncomplete(progress, at: seconds(0))
        #expect(state.peerFinished() == .close)
    }

    @Test func `a client that reads nothing is given up after the send timeout`() {
        var state = makeResponding()
        _ = answer(&state, at: seconds(1))
        state.outputBlocked(hasProgressed: true, at: seconds(1))
        #expect(state.phase == .flushing(.keepOpen))
        state.outputBlocked(hasProgressed: true, at: seconds(30))
        state.outputBlocked(hasProgressed: false, at: seconds(60))
        #expect(state.deadline == seconds(70))
        #expect(state.deadlinePassed(at: seconds(70)) == .close)
    }

    @Test func `a connection goes on after a slow client has read its response`() {
        var state = makeResponding()
        _ = answer(&state, at: seconds(1))
        state.outputBlocked(hasProgressed: false, at: seconds(1))
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(5)) == .proceed)
        #expect(state.phase == .idle)
        #expect(state.deadline == seconds(80))
    }

    @Test func `input is left with the kernel while enough of it waits`() {
        var state = makeResponding()
        #expect(state.wantsInput(whileBuffered: 99, limit: 100))
        #expect(!state.wantsInput(whileBuffered: 100, limit: 100))
        _ = state.peerFinished()
        #expect(!state.wantsInput(whileBuffered: 0, limit: 100))
    }

    @Test func `a refusal is sent, then the connection lingers for a moment`() {
        var state = makeState()
        _ = state.requestIncomplete(.head, at: seconds(0))
        state.refused(at: seconds(1))
        #expect(!state.wantsInput(whileBuffered: 0, limit: 100))
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(1)) == .linger)
        state.lingeringBegan(at: seconds(1))
        #expect(state.wantsInput(whileBuffered: 0, limit: 100))
        #expect(state.deadlinePassed(at: seconds(2)) == .none)
        #expect(state.deadlinePassed(at: seconds(3)) == .close)
    }

    @Test func `shutting down closes what is idle and gives a new client a moment`() {
        var used = makeResponding()
        _ = answer(&used, at: seconds(1))
        #expect(used.drain(at: seconds(2)) == .linger)

        var new = makeState()
        #expect(new.drain(at: seconds(2)) == .none)
        #expect(new.requestIncomplete(.idle, at: seconds(2)) == .none)
        #expect(new.deadlinePassed(at: seconds(3)) == .close)
    }

    @Test func `a handshake that ends during the shutdown leaves a moment for a request`() {
        var state = makeState(isSecure: true)
        #expect(state.drain(at: seconds(1)) == .none)
        state.handshakeCompleted(at: seconds(2))
        #expect(state.deadlinePassed(at: seconds(2)) == .none)
        #expect(state.deadlinePassed(at: seconds(3)) == .close)
    }

    @Test func `shutting down makes the response under way the last one`() {
        var state = makeResponding()
        #expect(state.drain(at: seconds(1)) == .none)
        #expect(!state.wantsInput(whileBuffered: 0, limit: 100))
        #expect(answer(&state, hasFurtherRequest: true, at: seconds(1)))
        state.requestCompleted(keepAlive: true, at: seconds(1))
        #expect(!answer(&state, hasFurtherRequest: false, at: seconds(1)))
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(1)) == .linger)
    }

    @Test func `nothing happens to a closed connection`() {
        var state = makeResponding()
        state.closed()
        #expect(state.deadline == .distantFuture)
        #expect(state.deadlinePassed(at: seconds(1000)) == .none)
        #expect(state.drain(at: seconds(1)) == .none)
        #expect(state.peerFinished() == .none)
        #expect(state.outputEmptied(hasFurtherInput: false, at: seconds(1)) == .none)
        #expect(!state.wantsInput(whileBuffered: 0, limit: 1))
    }
}
