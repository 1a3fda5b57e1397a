import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

/// Where reads go, by a clock that the test moves.
@Suite struct ReplicaSetStateTests {
    private static func position(_ place: UInt64, timeline: UInt32 = 1) -> WritePosition {
        WritePosition(timeline: timeline, place: LogSequenceNumber(rawValue: place))
    }

    private static func at(_ seconds: Double) -> LoopInstant { LoopInstant(nanoseconds: Int64(seconds * 1e9)) }

    /// Two replicas: the first has everything, the second is at 50 of 100.
    private func known() -> ReplicaSetState {
        var state = ReplicaSetState(count: 2)
        _ = state.take(.primaryIsAt(Self.position(40), askedAt: Self.at(1)), at: Self.at(1))
        _ = state.take(.primaryIsAt(Self.position(100), askedAt: Self.at(2)), at: Self.at(2))
        _ = state.take(.replicaIsAt(0, Self.position(100)), at: Self.at(2))
        _ = state.take(.replicaIsAt(1, Self.position(50)), at: Self.at(2))
        return state
    }

    @Test func `a replica that has said nothing takes no reads`() {
        var state = ReplicaSetState(count: 1)
        #expect(state.replica(for: Self.position(0), at: Self.at(1)) == nil)
        #expect(state.figures[0].standing == .unknown)
    }

    @Test func `reads go where the caller's last write is, in turns`() {
        var state = known()
        #expect((0..<4).map { _ in state.replica(for: Self.position(50), at: Self.at(2)) } == [0, 1, 0, 1])
        #expect((0..<3).map { _ in state.replica(for: Self.position(51), at: Self.at(2)) } == [0, 0, 0])
        #expect(state.replica(for: Self.position(101), at: Self.at(2)) == nil)
    }

    @Test func `a replica too far behind takes none until it has caught up`() {
        var state = known()
        let far = Self.at(12.5)
        for index in 0...1 { _ = state.take(.replicaIsAt(index, Self.position(index == 0 ? 100 : 50)), at: Self.at(7)) }
        _ = state.take(.primaryIsAt(Self.position(200), askedAt: far), at: far)
        let events = state.take(.replicaIsAt(0, Self.position(200)), at: far)
        // Until it answers, it is known to be as it was.
        #expect(events == [ReplicaEvent(replica: 0, from: .lagging, to: .following)])
        // It has what the primary had after one second, and is eleven behind.
        let late = state.take(.replicaIsAt(1, Self.position(50)), at: far)
        #expect(late.isEmpty)
        #expect(state.figures.map(\.standing) == [.following, .lagging])
        #expect(state.figures[1].lag == .seconds(11.5))
        #expect((0..<2).map { _ in state.replica(for: Self.position(10), at: far) } == [0, 0])
        let back = state.take(.replicaIsAt(1, Self.position(200)), at: far)
        #expect(back == [ReplicaEvent(replica: 1, from: .lagging, to: .following)])
    }

    @Test func `a primary that is gone makes no replica lag`() {
        var state = known()
        for second in stride(from: 3.0, to: 60, by: 1) {
            _ = state.take(.replicaIsAt(0, Self.position(100)), at: Self.at(second))
        }
        #expect(state.replica(for: Self.position(100), at: Self.at(60)) == 0)
    }

    @Test func `a broken connection makes what was known worthless`() {
        var state = known()
        let events = state.take(.replicaFailed(0), at: Self.at(2))
        #expect(events == [ReplicaEvent(replica: 0, from: .following, to: .lost)])
        #expect(state.replica(for: Self.position(60), at: Self.at(2)) == nil)
        _ = state.take(.replicaIsAt(0, Self.position(70)), at: Self.at(2.1))
        #expect(state.replica(for: Self.position(60), at: Self.at(2.1)) == 0)
        #expect(state.replica(for: Self.position(80), at: Self.at(2.1)) == nil)
    }

    @Test func `a read that takes too long says nothing of a replica that answers meanwhile`() {
        var state = known()
        // Sent after the last that was heard of both; the first has answered a question meanwhile.
        let sentAt = Self.at(3)
        _ = state.take(.replicaIsAt(0, Self.position(100)), at: Self.at(4))
        #expect(state.take(.readTookTooLong(0, sentAt: sentAt), at: Self.at(5)).isEmpty)
        #expect(state.replica(for: Self.position(60), at: Self.at(5)) == 0)
        let events = state.take(.readTookTooLong(1, sentAt: sentAt), at: Self.at(5))
        #expect(events == [ReplicaEvent(replica: 1, from: .following, to: .lost)])
        // What was slow once is not forgiven when it is silent the next time.
        #expect(state.take(.readTookTooLong(0, sentAt: Self.at(6)), at: Self.at(8)).map(\.to) == [.lost])
        #expect(state.replica(for: Self.position(1), at: Self.at(8)) == nil)
        _ = state.take(.replicaIsAt(0, Self.position(100)), at: Self.at(8.1))
        #expect(state.replica(for: Self.position(60), at: Self.at(8.1)) == 0)
    }

    @Test func `a replica found behind what it was known to have is asked again first`() {
        var state = known()
        _ = state.take(.replicaIsBehind(0), at: Self.at(2))
        #expect(state.replica(for: Self.position(60), at: Self.at(2)) == nil)
    }

    @Test func `silence ends what is known`() {
        var state = known()
        #expect(state.replica(for: Self.position(60), at: Self.at(10)) == 0)
        #expect(state.replica(for: Self.position(60), at: Self.at(10.1)) == nil)
        #expect(state.look(at: Self.at(10.1)).map(\.to) == [.lost, .lost])
    }

    @Test func `a promoted replica takes no reads`() {
        var state = known()
        #expect(state.take(.replicaIsAt(0, nil), at: Self.at(3)).map(\.to) == [.promoted])
        #expect(state.replica(for: Self.position(60), at: Self.at(3)) == nil)
    }

    @Test func `after a failover only those count that follow the new primary`() {
        var state = known()
        // The second was promoted at 60; the first has the former primary's log up to 100, of which 61 to 100 are lost.
        let events = state.take(.primaryIsAt(Self.position(70, timeline: 2), askedAt: Self.at(4)), at: Self.at(4))
        #expect(events.contains(ReplicaEvent(replica: 0, from: .following, to: .promoted)))
        #expect(state.replica(for: Self.position(65, timeline: 2), at: Self.at(4)) == nil)
        #expect(state.replica(for: Self.position(50), at: Self.at(4)) == nil)
        _ = state.take(.replicaIsAt(0, Self.position(70, timeline: 2)), at: Self.at(5))
        #expect(state.replica(for: Self.position(65, timeline: 2), at: Self.at(5)) == 0)
        // Written on the former primary, and lost with it.
        #expect(state.replica(for: Self.position(90), at: Self.at(5)) == nil)
    }

    @Test func `a write of the new primary is sought on no replica of the former`() {
        var state = known()
        // Nobody has told yet of the failover.
        #expect(state.replica(for: Self.position(90, timeline: 2), at: Self.at(2)) == nil)
    }

    @Test func `replicas are asked often only while somebody reads`() {
        var state = known()
        #expect(state.interval(at: Self.at(2)) == .seconds(5))
        _ = state.replica(for: Self.position(1), at: Self.at(2))
        #expect(state.interval(at: Self.at(12)) == .milliseconds(100))
        #expect(state.interval(at: Self.at(12.1)) == .seconds(5))
    }

    @Test func `old moments of the primary stay known, and what is kept is bounded`() {
        var state = ReplicaSetState(count: 1, limits: ReplicaSetState.Limits())
        for tick in 1...5000 {
            let now = Self.at(Double(tick) / 10)
            _ = state.take(.primaryIsAt(Self.position(UInt64(tick)), askedAt: now), at: now)
        }
        let now = Self.at(500)
        _ = state.take(.replicaIsAt(0, Self.position(4950)), at: now)
        #expect(state.figures[0].standing == .following)
        _ = state.take(.replicaFailed(0), at: now)
        _ = state.take(.replicaIsAt(0, Self.position(4000)), at: now)
        #expect(state.figures[0].standing == .lagging)
    }
}
