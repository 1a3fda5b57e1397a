import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

/// Who is served when more is asked for than the server can do, with a server and a clock that are simulated.
@Suite struct OverloadTests {
    private let dear = Statement("SELECT count(*) FROM items", isReadOnly: true)
    private let page = Statement("SELECT name FROM items LIMIT 25", isReadOnly: true)
    private let rows = Statement("SELECT name FROM items ORDER BY id LIMIT 20", isReadOnly: true)
    private let rename = Statement("UPDATE items SET name = $1", isReadOnly: false)

    /// A pool that knows its statements.
    private func overloadedPool() -> SimulatedPool {
        let pool = SimulatedPool(connections: 5) { $0.maximumWaiters = 128 }
        pool.warmUp(dear, taking: .milliseconds(4))
        pool.warmUp(page, taking: .milliseconds(1))
        pool.warmUp(rename, taking: .microseconds(300))
        for _ in 0..<40 {
            pool.ask(rows, taking: .milliseconds(1), as: Guest("known"))
            pool.run(for: .milliseconds(3))
        }
        return pool
    }

    /// Three dear calls each millisecond for so long, and what `ask` asks for every ten milliseconds. Four connections run
    /// one of them each millisecond.
    private func overload(_ pool: SimulatedPool, for time: Duration, _ ask: (Int) -> Void = { _ in }) -> Outcome {
        var outcome = Outcome()
        for turn in 0..<Int(time / .milliseconds(1)) {
            for _ in 0..<3 { pool.ask(dear, taking: .milliseconds(4)) { outcome.add($0) } }
            if turn % 10 == 0 { ask(turn) }
            pool.run(for: .milliseconds(1))
        }
        pool.run(for: .milliseconds(500))
        return outcome
    }

    private struct Outcome {
        var served = 0
        var refused = 0
        var waited = 0

        mutating func add(_ error: PostgresError?) {
            guard let error else { return served += 1 }
            if error.hasWaited { waited += 1 } else { refused += 1 }
        }
    }

    @Test func `what asks for little is not refused because of what asks for much`() {
        let pool = overloadedPool()
        var (pages, guests, changes, leases) = (Outcome(), Outcome(), Outcome(), [Lease]())
        let functions = overload(pool, for: .milliseconds(500)) { turn in
            pool.ask(page, taking: .milliseconds(1)) { pages.add($0) }
            pool.ask(rows, taking: .milliseconds(1), as: Guest("\(turn)")) { guests.add($0) }
            pool.ask(rename, taking: .microseconds(300)) { changes.add($0) }
            for lease in leases { pool.endLease(lease) }
            leases.append(pool.lease())
        }
        #expect(functions.refused > 500, "they have to be far too many")
        #expect(functions.served > 250)
        #expect(pages.served == 50)
        #expect(guests.served == 50)
        #expect(changes.served == 50)
        #expect(pool.granted.count == 50)
    }

    @Test func `functions and guests that both ask for too much have half of it each`() {
        let pool = overloadedPool()
        var guests = Outcome()
        var number = 0
        let functions = overload(pool, for: .milliseconds(500)) { _ in
            for _ in 0..<30 {
                number += 1
                pool.ask(rows, taking: .milliseconds(4), as: Guest("\(number)")) { guests.add($0) }
            }
        }
        #expect(guests.refused > 500)
        // Of four connections guests may use three.
        #expect((0.5...2).contains(Double(guests.served) / Double(functions.served)), "\(guests), \(functions)")
    }

    @Test func `a guest that asks for much refuses nobody else`() {
        let pool = overloadedPool()
        var (greedy, others) = (Outcome(), Outcome())
        _ = overload(pool, for: .milliseconds(500)) { turn in
            for _ in 0..<60 { pool.ask(rows, taking: .milliseconds(1), as: Guest("greedy")) { greedy.add($0) } }
            for other in 0..<5 {
                pool.ask(rows, taking: .milliseconds(1), as: Guest("\(other)")) { others.add($0) }
            }
        }
        #expect(greedy.refused > 500)
        #expect(greedy.served > 50)
        #expect(others.served == 250)
    }

    /// A connection of its own is for one of them at a time.
    @Test func `a guest that asks for much that is slow holds nobody else up behind all of it`() {
        let pool = SimulatedPool(connections: 5) { $0.waitTimeout = .seconds(30) }
        let search = Statement("SELECT name FROM items WHERE notes ~ $1", isReadOnly: true)
        for _ in 0..<3 {
            pool.ask(search, taking: .milliseconds(100), as: Guest("known"))
            pool.run(for: .milliseconds(200))
        }
        for _ in 0..<100 { pool.ask(search, taking: .milliseconds(100), as: Guest("greedy")) }
        pool.run(for: .milliseconds(10))
        var answered = 0
        for other in 0..<5 {
            pool.ask(search, taking: .milliseconds(100), as: Guest("\(other)")) { _ in answered += 1 }
        }
        pool.run(for: .milliseconds(900))
        #expect(answered == 5)
    }

    @Test func `who is let in and not served in time has waited that long`() {
        let pool = SimulatedPool(connections: 2) { $0.waitTimeout = .milliseconds(500) }
        let sleep = Statement("SELECT pg_sleep(3)", isReadOnly: true)
        pool.ask(sleep, taking: .seconds(3))
        var error: PostgresError?
        let start = pool.now
        var end = start
        pool.ask(sleep, taking: .seconds(3), as: Guest("a")) { (error, end) = ($0, pool.now) }
        pool.run(for: .milliseconds(500))
        #expect(error?.hasWaited == true)
        #expect(end - start >= .milliseconds(500))
    }
}
