import Foundation
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletRealtime

/// `REALTIME_KILLS` and `REALTIME_WRITES_PER_SECOND` make more of it than CI has time for, see docs/chaos.md.
@Suite(.needsDatabase, .timeLimit(.minutes(10)))
struct KilledReaderTests {
    private static let kills = number("REALTIME_KILLS") ?? 8
    private static let pace = number("REALTIME_WRITES_PER_SECOND") ?? 400
    private static let writers = 4

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test func `nothing is lost or doubled when the reader is killed again and again`() async throws {
        try await TestChanges.with { changes async throws in
            let live = try await changes.subscriber()
            let isOver = Mutex(false)
            var returned: [ChangeDelivery] = []
            var visitor = try await changes.subscriber()
            let start = visitor.subscriber?.start
            async let writing = write(to: changes.url) { isOver.withLock(\.self) }
            let begun = ContinuousClock.now
            for _ in 0..<Self.kills {
                // It reads again, and some of what is written meanwhile has come.
                let before = live.deliveries.count
                let goesOn = try await eventually(within: .seconds(60)) { live.deliveries.count > before }
                #expect(goesOn)
                try changes.killReader()
                // Another one is away for that long, and comes back behind what it has.
                if let subscriber = visitor.subscriber { changes.hub.remove(subscriber) }
                returned += visitor.deliveries
                visitor = try await changes.subscriber(after: returned.last?.position ?? start)
            }
            isOver.withLock { $0 = true }
            let took = ContinuousClock.now - begun
            let written = try await writing
            try await live.wait(for: written)
            try await Self.wait(for: written - returned.count, visitor)
            returned += visitor.deliveries
            #expect(written > Self.kills)
            #expect(live.deliveries.count == written)
            #expect(Set(live.positions).count == written)
            #expect(live.positions == live.positions.sorted())
            #expect(Set(live.summary).count == written)
            #expect(returned.map(\.position) == live.positions)
            #expect(live.resets == 0)
            if Self.number("REALTIME_KILLS") != nil {
                print("\(Self.kills) kills in \(took), \(written) changes, all once, live and by position")
            }
        }
    }

    private static func wait(for count: Int, _ received: Received) async throws {
        if count > 0 { try await received.wait(for: count) }
    }

    /// One transaction for each row, until it is over; the number of rows.
    private func write(to url: String, _ isOver: @escaping @Sendable () -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    try await onThread {
                        let connection = try BlockingConnection.connect(to: url)
                        let begun = ContinuousClock.now
                        var count = 0
                        while !isOver() {
                            let id = count * Self.writers + writer + 1
                            try connection.query("INSERT INTO todos (id) VALUES ($1)", [String(id)])
                            count += 1
                            let due = begun + .seconds(count * Self.writers) / Self.pace
                            let early = due - .now
                            if early > .milliseconds(1) { Thread.sleep(forTimeInterval: early / .seconds(1)) }
                        }
                        return count
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
