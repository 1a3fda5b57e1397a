import SwiftletAuth
import SwiftletPostgres
import Synchronization
import Testing

@testable import SwiftletRealtime

struct ChangeSubscriberTests {
    private static func position(_ number: UInt64) -> ChangePosition {
        ChangePosition(epoch: 1, commit: LogSequenceNumber(rawValue: number), index: 2)
    }

    private static func change(_ number: UInt64) -> ChangeDelivery {
        .change(position(number), kind: "INSERT", ids: [1], data: [])
    }

    /// What a subscriber at position 1 was given, which takes so many at most.
    private final class Taken: Sendable {
        private let numbers = Mutex<[UInt64]>([])
        private let room: Int

        init(room: Int = .max) { self.room = room }

        func add(_ delivery: ChangeDelivery) -> Bool {
            numbers.withLock { numbers in
                guard numbers.count < room else { return false }
                numbers.append(delivery.position.commit.rawValue)
                return true
            }
        }

        var all: [UInt64] { numbers.withLock(\.self) }

        func makeSubscriber() throws -> ChangeSubscriber {
            let user = try User(payload: Array(#"{"role":"authenticated"}"#.utf8))
            let caller = ChangeCaller(user)
            return ChangeSubscriber([], caller: caller, at: position(1), deliver: add) { _ in }
        }
    }

    @Test func `who goes live while the hub holds a page that it read from the log gets that page once`() throws {
        let taken = Taken()
        let subscriber = try taken.makeSubscriber()
        for number: UInt64 in [2, 3] { #expect(subscriber.deliverLogged(Self.change(number))) }
        #expect(subscriber.catchUp(with: Self.position(1)))
        let mark = try #require(subscriber.liveMark)
        subscriber.deliverLive([2, 3, 4].map(Self.change), through: Self.position(5), since: mark)
        #expect(taken.all == [2, 3, 4])
        #expect(subscriber.position == Self.position(5))
    }

    @Test func `a page older than the subscriber does not set it back`() throws {
        let taken = Taken()
        let subscriber = try taken.makeSubscriber()
        for number: UInt64 in [2, 3] { #expect(subscriber.deliverLogged(Self.change(number))) }
        #expect(subscriber.catchUp(with: Self.position(1)))
        let mark = try #require(subscriber.liveMark)
        subscriber.deliverLive([Self.change(2)], through: Self.position(2), since: mark)
        #expect(taken.all == [2, 3])
        #expect(subscriber.position == Self.position(3))
    }

    @Test func `who has no room falls behind at the last change that it took`() throws {
        let taken = Taken(room: 2)
        let subscriber = try taken.makeSubscriber()
        subscriber.begin(live: true)
        let mark = try #require(subscriber.liveMark)
        subscriber.deliverLive([2, 3, 4].map(Self.change), through: Self.position(5), since: mark)
        #expect(taken.all == [2, 3])
        #expect(subscriber.position == Self.position(3))
        #expect(subscriber.liveMark == nil)
    }
}
