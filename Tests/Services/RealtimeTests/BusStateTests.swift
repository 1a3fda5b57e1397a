import Testing

@testable import SwiftletRealtime

struct BusStateTests {
    /// A limit that all have passed who were heard.
    private static let passed = Duration.seconds(-10)

    private func connected() -> BusState {
        var state = BusState()
        _ = state.connected()
        _ = state.takeIncoming()
        _ = state.heard("a")
        return state
    }

    /// Who is forgotten at a beat before which something was heard, and taken.
    private func forgotten(_ state: inout BusState, _ limit: Duration = Self.passed) -> [ServerID] {
        state.hear((1, "beat"))
        _ = state.takeIncoming()
        return state.beat(silenceLimit: limit)
    }

    @Test func `who is silent is forgotten, but not before what was heard is taken`() {
        var state = connected()
        let early = forgotten(&state, .seconds(60))
        #expect(early.isEmpty)
        state.hear((2, "beat"))
        let untaken = state.beat(silenceLimit: Self.passed)
        #expect(untaken.isEmpty)
        let gone = forgotten(&state)
        #expect(gone == ["a"])
        #expect(state.peers.isEmpty)
    }

    @Test func `nobody is forgotten while nothing reaches this server, not even its own beat`() {
        var state = connected()
        let gone = state.beat(silenceLimit: Self.passed)
        #expect(gone.isEmpty)
        _ = state.disconnected()
        let unreachable = forgotten(&state)
        #expect(unreachable.isEmpty)
        #expect(state.peers.count == 1)
    }

    @Test func `a server that is alone greets again when its greeting was lost`() {
        var state = BusState()
        #expect(!state.needsGreeting)
        state.lose(1)
        #expect(state.needsGreeting)
        state.reached()
        #expect(!state.needsGreeting)
    }

    @Test func `what is too much is dropped and counted, and others are asked once in a beat`() {
        var state = connected()
        let text = String(repeating: "x", count: BusState.maximumWaitingBytes / 2 + 1)
        func overflow() {
            for number in 1...2 { state.hear((number, text)) }
        }
        overflow()
        #expect(state.lostCount == 2)
        var taken = state.takeIncoming()
        #expect(taken.heard.isEmpty && taken.hasConnected)
        overflow()
        #expect(state.lostCount == 4)
        taken = state.takeIncoming()
        #expect(!taken.hasConnected)
        _ = state.beat(silenceLimit: .seconds(60))
        taken = state.takeIncoming()
        #expect(taken.hasConnected)
        _ = state.beat(silenceLimit: .seconds(60))
        taken = state.takeIncoming()
        #expect(!taken.hasConnected)
    }

    @Test func `behind its goodbye a server says nothing of who is present, whoever asks`() {
        var state = connected()
        state.say([(BusItem.beat.text, false)], to: nil)
        state.sayGoodbye(BusItem.bye.text)
        // As the answer to an ask: one that waits is said before, one that comes behind is not.
        state.say([(BusItem.reset.text, false)], to: "a")
        let said = state.takeOutgoing().map(\.text)
        #expect(said == [BusItem.beat.text, BusItem.bye.text])
        state.sayGoodbye(BusItem.bye.text)
        state.say([(BusItem.beat.text, false)], to: nil)
        let again = state.takeOutgoing().map(\.text)
        #expect(again == [BusItem.bye.text])
    }

    @Test func `behind its goodbye a server still tells what is broadcast`() {
        var state = connected()
        state.sayGoodbye(BusItem.bye.text)
        state.say([(BusItem.parcel(1).text, true), (BusItem.beat.text, false)], to: nil)
        let said = state.takeOutgoing().map(\.text)
        #expect(said == [BusItem.bye.text, BusItem.parcel(1).text])
    }

    @Test func `a server that is alone leaves without a word, and answers nobody who comes then`() {
        var state = BusState()
        state.sayGoodbye(BusItem.bye.text)
        #expect(state.heard("a") == .new)
        state.say([(BusItem.reset.text, false)], to: "a")
        #expect(state.takeOutgoing().isEmpty)
    }

    @Test func `what arrives behind a goodbye does not bring its server back`() {
        var state = connected()
        #expect(state.heard("a") == .known)
        state.depart("a")
        #expect(state.heard("a") == .departed)
        #expect(state.peers.isEmpty)
        #expect(state.heard("b") == .new)
        _ = forgotten(&state, .seconds(60))
        #expect(state.heard("a") == .departed)
    }
}
