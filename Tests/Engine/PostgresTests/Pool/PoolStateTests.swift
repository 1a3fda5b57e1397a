import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

/// Who waits for whom, with a server and a clock that are simulated.
@Suite struct PoolStateTests {
    private let byID = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)
    private let page = Statement("SELECT name FROM items LIMIT 25", isReadOnly: true)
    private let rename = Statement("UPDATE items SET name = $1", isReadOnly: false)
    private let sleep = Statement("SELECT pg_sleep($1)", isReadOnly: true)

    @Test(arguments: [2, 4, 6], [true, false])
    func `a slow statement of a new shape delays nobody's point reads`(connections: Int, isReadOnly: Bool) {
        let pool = SimulatedPool(connections: connections)
        pool.warmUp(byID)
        pool.ask(Statement("SELECT pg_sleep(2)", isReadOnly: isReadOnly), taking: .seconds(2))
        #expect(pool.keepAsking(byID, for: .seconds(1)).longest < .milliseconds(10))
    }

    /// Whoever is behind it when it begins has to wait until it is noticed.
    @Test(arguments: [2, 4, 6])
    func `a statement that was fast so far and now is slow is overtaken`(connections: Int) {
        let pool = SimulatedPool(connections: connections)
        pool.warmUp(byID)
        pool.warmUp(sleep)
        pool.ask(sleep, taking: .seconds(2))
        #expect(pool.keepAsking(byID, for: .seconds(1)).longest < .milliseconds(100))
        #expect(pool.statistics.totalRetried > 0)
    }

    /// Nothing tells which of the two it is until the one that was asked again takes long there as well.
    @Test(arguments: [true, false])
    func `the only neighbor of a statement that has become slow does not wait for it`(isFirst: Bool) {
        let pool = SimulatedPool(connections: 4)
        pool.warmUp(byID)
        pool.warmUp(sleep)
        let start = pool.now
        var answeredAt: LoopInstant?
        for isSleeper in [isFirst, !isFirst] {
            pool.ask(isSleeper ? sleep : byID, taking: isSleeper ? .seconds(2) : .microseconds(50)) { _ in
                if !isSleeper { answeredAt = pool.now }
            }
        }
        pool.run(for: .seconds(3))
        #expect(answeredAt.map { $0 - start < .milliseconds(100) } == true)
    }

    @Test func `each call is overtaken once at most`() {
        let pool = SimulatedPool(connections: 2)
        pool.warmUp(byID)
        // The machine is slow as a whole: everything takes long, wherever it runs.
        for _ in 0..<16 { pool.ask(byID, taking: .milliseconds(100)) }
        pool.run(for: .seconds(5))
        #expect(pool.statistics.totalRetried <= 16)
        #expect(pool.statistics.inFlight == 0)
    }

    @Test func `pages and writes that wait in line take turns`() {
        let pool = SimulatedPool(connections: 2)
        pool.warmUp(page, taking: .milliseconds(1))
        pool.warmUp(rename, taking: .milliseconds(1))
        var counts = (pages: 0, writes: 0)
        func ask(isPage: Bool) {
            pool.ask(isPage ? page : rename, taking: .milliseconds(1)) { _ in
                if isPage { counts.pages += 1 } else { counts.writes += 1 }
                ask(isPage: isPage)
            }
        }
        for caller in 0..<40 { ask(isPage: caller < 32) }
        pool.run(for: .seconds(1))
        #expect(counts.pages > 100)
        #expect(counts.writes > 100)
    }

    @Test func `slow statements run side by side, and transactions still find a connection`() {
        let pool = SimulatedPool(connections: 6)
        pool.warmUp(sleep, taking: .milliseconds(50))
        var answers = 0
        for _ in 0..<6 { pool.ask(sleep, taking: .seconds(1)) { _ in answers += 1 } }
        pool.run(for: .milliseconds(10))
        let lease = pool.lease()
        #expect(pool.granted.map(\.lease).contains { $0 === lease })
        pool.run(for: .seconds(3.1))
        #expect(answers == 6, "two at a time")
    }

    // MARK: - Guests

    /// First runs, known slow ones, and those that have been fast so far; one guest, and many.
    @Test(arguments: [3, 4, 5, 8], [1, 40])
    func `whatever guests keep waiting for, the others go on`(connections: Int, guests: Int) {
        let pool = SimulatedPool(connections: connections) { $0.waitTimeout = .seconds(30) }
        let search = Statement("SELECT name FROM items WHERE notes ~ $1", isReadOnly: true)
        for statement in [byID, rename] { pool.warmUp(statement) }
        pool.warmUp(page, taking: .milliseconds(1))
        for _ in 0..<40 {
            pool.ask(search, as: Guest("0"))
            pool.run(for: .milliseconds(2))
        }
        for number in 0..<40 {
            let guest = Guest("\(number % guests)")
            pool.ask(search, taking: .seconds(8), as: guest)
            pool.ask(Statement("SELECT pg_sleep(8), \(number)", isReadOnly: true), taking: .seconds(8), as: guest)
            pool.ask(sleep, taking: .seconds(8), as: guest)
            pool.ask(Statement("SELECT f(\(number))", isReadOnly: false), taking: .seconds(8), as: guest)
        }
        pool.run(for: .milliseconds(100))
        #expect(pool.keepAsking(byID, for: .milliseconds(100)).longest < .milliseconds(50))
        #expect(pool.keepAsking(page, taking: .milliseconds(1), for: .milliseconds(100)).longest < .milliseconds(100))
        #expect(pool.keepAsking(rename, for: .milliseconds(100)).longest < .milliseconds(100))
        let new = Statement("SELECT 1 AS new", isReadOnly: true)
        // With three connections there is one lease for all.
        guard connections > 3 else { return }
        #expect(pool.keepAsking(new, callers: 1, for: .milliseconds(100)).answers > 3)
        let lease = pool.lease()
        pool.run(for: .milliseconds(50))
        #expect(pool.granted.contains { $0.lease === lease })
        pool.endLease(lease)
    }

    @Test func `one guest leaves leases to the others`() {
        let pool = SimulatedPool(connections: 5)
        for number in 0..<8 {
            pool.ask(Statement("SELECT pg_sleep(8), \(number)", isReadOnly: true), taking: .seconds(8), as: Guest("a"))
        }
        pool.run(for: .milliseconds(10))
        var answers = 0
        for number in 0..<4 {
            pool.ask(Statement("SELECT \(number)", isReadOnly: true), as: Guest("b")) { _ in answers += 1 }
        }
        pool.run(for: .milliseconds(100))
        #expect(answers == 4)
    }

    /// They were fast so far, so that nobody knows at the time when they are sent.
    @Test(arguments: [5, 8]) func `one guest leaves a connection to the others`(connections: Int) {
        let pool = SimulatedPool(connections: connections) { $0.waitTimeout = .seconds(30) }
        let search = Statement("SELECT name FROM items WHERE notes ~ $1", isReadOnly: true)
        let change = Statement("UPDATE items SET notes = $1", isReadOnly: false)
        let slow = Guest("a").asking(mayTakeLong: true)
        for _ in 0..<40 {
            for statement in [search, change] { pool.ask(statement, as: Guest("b")) }
            pool.run(for: .milliseconds(2))
        }
        // At once, and one after the other.
        for _ in 0..<8 {
            for statement in [search, change] { pool.ask(statement, taking: .seconds(8), as: slow) }
            pool.ask(sleep, taking: .seconds(8), as: slow)
        }
        for _ in 0..<20 {
            pool.run(for: .milliseconds(20))
            for statement in [search, change, sleep] { pool.ask(statement, taking: .seconds(8), as: slow) }
        }
        var answers = 0
        for _ in 0..<20 {
            for statement in [search, change] { pool.ask(statement, as: Guest("b")) { _ in answers += 1 } }
            pool.run(for: .milliseconds(20))
        }
        #expect(answers == 40)
    }

    @Test func `the queue keeps room from guests, and from each of them`() {
        let pool = SimulatedPool(connections: 5) { $0.maximumWaiters = 16 }
        var refused: [String: Int] = [:]
        func ask(_ count: Int, as name: String) {
            for number in 0..<count {
                let statement = Statement("SELECT pg_sleep(8), '\(name)', \(number)", isReadOnly: true)
                pool.ask(statement, taking: .seconds(8), as: Guest(name)) { error in
                    if error?.kind == .overloaded { refused[name, default: 0] += 1 }
                }
            }
        }
        ask(20, as: "a")
        ask(3, as: "b")
        #expect(refused == ["a": 11])
        ask(20, as: "c")
        var isRefused = false
        pool.ask(Statement("SELECT 1 AS own", isReadOnly: true)) { isRefused = $0 != nil }
        #expect(!isRefused)
    }

    @Test func `over the limit of waiters a call fails at once`() {
        let pool = SimulatedPool(connections: 2) { $0.maximumWaiters = 4 }
        var errors: [PostgresError?] = []
        for _ in 0..<20 { pool.ask(sleep, taking: .milliseconds(200)) { errors.append($0) } }
        #expect(errors.map(\.?.kind) == Array(repeating: .overloaded, count: 15))
        pool.run(for: .seconds(2))
        #expect(errors.suffix(5).allSatisfy { $0 == nil })
        #expect(pool.statistics.totalOverloaded == 15)
    }

    @Test func `a wait for a connection has an end`() {
        let pool = SimulatedPool(connections: 2) { $0.waitTimeout = .milliseconds(500) }
        pool.ask(sleep, taking: .seconds(3))
        pool.run(for: .milliseconds(10))
        var refusal: PostgresError?
        pool.ask(Statement("SELECT 1", isReadOnly: true)) { refusal = $0 }
        let lease = pool.lease()
        pool.run(for: .milliseconds(700))
        #expect(refusal?.kind == .overloaded)
        #expect(pool.refused.contains { $0 === lease })
    }

    @Test func `an abandoned statement is cancelled, and its connection is free again`() {
        let pool = SimulatedPool(connections: 2)
        var error: PostgresError?
        let call = pool.ask(sleep, taking: .seconds(30)) { error = $0 }
        pool.run(for: .milliseconds(10))
        pool.abandon(call)
        #expect(error?.kind == .cancelled)
        #expect(pool.statistics.held == 1)
        pool.run(for: .milliseconds(10))
        #expect(pool.statistics.held == 0)
        #expect(pool.statistics.inFlight == 0)
    }

    @Test func `a deadline ends a call and what it runs`() {
        let pool = SimulatedPool(connections: 2) { $0.queryTimeout = .milliseconds(300) }
        var error: PostgresError?
        pool.ask(sleep, taking: .seconds(30)) { error = $0 }
        pool.run(for: .milliseconds(450))
        #expect(error?.kind == .timeout)
        #expect(pool.statistics.held == 0)
        #expect(pool.statistics.totalConnectionsLost == 0)
    }

    // MARK: - Locks

    /// Many who want a locked table, in every workload, come again as soon as they are refused.
    @Test(arguments: [4, 6])
    func `who uses another table than the locked one is served`(connections: Int) {
        let pool = SimulatedPool(connections: connections) { configuration in
            configuration.lockTimeout = .milliseconds(500)
            configuration.waitTimeout = .seconds(2)
        }
        let note = Statement("SELECT name FROM notes", isReadOnly: true)
        let renameNote = Statement("UPDATE notes SET name = $1", isReadOnly: false)
        for statement in [byID, rename, note, renameNote] { pool.warmUp(statement) }
        pool.warmUp(page, taking: .microseconds(400))
        let locked = [byID, page, rename].map(\.id)
        pool.isLocked = { locked.contains($0.statement.id) }
        func keepAsking(_ statement: Statement) {
            pool.ask(statement) { _ in keepAsking(statement) }
        }
        for (statement, count) in [(byID, 16), (page, 16), (rename, 2)] {
            for _ in 0..<count { keepAsking(statement) }
        }
        // Each of the three has to be refused once.
        pool.run(for: .seconds(5))
        let notes = pool.keepAsking(note, callers: 1, for: .seconds(2))
        #expect(notes.longest < .milliseconds(100))
        #expect(pool.keepAsking(renameNote, callers: 1, for: .seconds(2)).answers > 1000)
    }

    @Test func `a call that waits for a lock is repeated once, and refused then`() {
        let pool = SimulatedPool(connections: 4) { $0.lockTimeout = .milliseconds(500) }
        pool.warmUp(rename)
        pool.isLocked = { _ in true }
        var error: PostgresError?
        pool.ask(rename) { error = $0 }
        pool.run(for: .milliseconds(900))
        #expect(error == nil)
        pool.run(for: .milliseconds(200))
        #expect(error?.state == .lockNotAvailable)
        #expect(pool.statistics.totalRetried == 1)
    }

    // MARK: - Outages

    @Test(arguments: [true, false])
    func `that every connection is at work is an outage only where the server does not answer a new one`(answers: Bool)
    {
        let pool = SimulatedPool(connections: 2) { $0.silenceLimit = .milliseconds(1500) }
        pool.warmUp(byID)
        pool.warmUp(rename)
        pool.answersProbes = answers
        var ends: [String: PostgresError?] = [:]
        pool.ask(byID, taking: .seconds(4)) { ends["read"] = $0 }
        pool.ask(rename, taking: .seconds(4)) { ends["write"] = $0 }
        pool.run(for: .seconds(3))
        let failures = pool.events.count { if case .connectionFailed = $0 { true } else { false } }
        #expect(failures == (answers ? 0 : 1))
        pool.run(for: .seconds(3))
        #expect(ends.mapValues { $0?.kind } == ["read": answers ? nil : .connectionFailure, "write": nil])
    }

    @Test func `a long statement beside idle connections is no outage`() {
        let pool = SimulatedPool(connections: 4) { $0.silenceLimit = .milliseconds(900) }
        pool.answersProbes = false
        pool.ask(sleep, taking: .seconds(10))
        pool.run(for: .seconds(9))
        #expect(pool.events.isEmpty)
    }
}
