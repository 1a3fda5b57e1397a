import SwiftletEventLoop
import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

/// What becomes of the queries on a connection that the server has closed before they are answered, or at the same
/// time. The loop's thread is held up until everything is in the socket, so that libpq finds it all at once.
@Suite(.needsDatabase, .hangLimit)
struct BrokenConnectionTests {
    private static let number = Statement("SELECT 7", isReadOnly: true)
    private static let nextNumber = Statement("SELECT nextval('numbers')", isReadOnly: false)

    private static let endAll = """
        SELECT pid::text, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """

    /// The pool of one loop, and what has come of the queries.
    private final class Scene {
        let pool: Pool
        let events = EventRecord()
        var outcomes: [String] = []

        init(_ test: TestPool) {
            var configuration = DatabaseConfiguration(url: test.url, connections: 2)
            configuration.outageGrace = .seconds(3)
            let settings = ConnectionSettings(parsing: test.url)?.forSession(configuration)
            pool = Pool(
                loop: test.loop,
                configuration: configuration,
                settings: settings,
                connections: 2,
                onEvent: { [events] in events.append($0) }
            )
            pool.start()
        }

        /// Sends a query on the first connection: at once, or at the end of the turn.
        func send(_ statement: Statement, atOnce: Bool = true) {
            pool.connections.first?.connection?.send(query(statement), alone: atOnce)
        }

        /// Leaves to the pool how the query is sent.
        func submit(_ statement: Statement) { pool.submit(query(statement)) }

        private func query(_ statement: Statement) -> PendingQuery {
            let pending = PendingQuery(statement, .none, deadline: pool.deadline)
            pending.caller = .action { [self] pending in
                do throws(PostgresError) {
                    let rows = try pending.takeRows()
                    outcomes.append(rows.text(0, 0) ?? "nothing")
                } catch {
                    outcomes.append("\(error.kind)")
                }
            }
            return pending
        }

        func receive() { pool.connections.first?.connection?.receive() }

        /// Lets the server answer, and closes its end of the connections.
        func endServer(_ test: TestPool) throws {
            usleep(50_000)
            let killed = try test.administer(endAll)
            // A process takes its time to end, and only then is its socket closed.
            for process in killed.compactMap({ $0[0].flatMap(pid_t.init) }) {
                var waits = 0
                while !isGone(process), waits < 2000 {
                    usleep(1000)
                    waits += 1
                }
            }
        }

        private func isGone(_ process: pid_t) -> Bool { kill(process, 0) != 0 && errno == ESRCH }
    }

    /// Does this on the loop, and gives the results and errors of so many queries, sorted.
    private static func outcomes(
        _ count: Int,
        of script: @escaping @Sendable (Scene, TestPool) throws -> Void
    ) async throws -> [String] {
        try await TestPool.returning("CREATE SEQUENCE numbers") { test in
            let loop = test.loop
            let scene = await loop.run { LoopBound(Scene(test), on: loop) }
            #expect(try await eventually { await loop.run { scene.value.pool.state.availability.connectionsUp == 2 } })
            // Prepares both.
            await loop.run {
                scene.value.send(number)
                scene.value.send(nextNumber)
            }
            #expect(try await eventually { await loop.run { scene.value.outcomes == ["7", "1"] } })
            try await test.onLoop { try script(scene.value, test) }
            _ = try await eventually { await loop.run { scene.value.outcomes.count } == count + 2 }
            let reasons = await loop.run { scene.value.events.all.compactMap(\.lostReason) }
            #expect(!reasons.isEmpty)
            for reason in reasons { #expect(reason.contains("administrator command")) }
            return await loop.run {
                scene.value.pool.close()
                return scene.value.outcomes.dropFirst(2).sorted()
            }
        }
    }

    @Test func `answers that a failed send has read are taken, and what was not sent is sent again`() async throws {
        let outcomes = try await Self.outcomes(4) { scene, test in
            scene.send(Self.nextNumber)
            scene.send(Self.nextNumber)
            try scene.endServer(test)
            scene.send(Self.number)
            scene.send(Self.number)
            scene.receive()
        }
        #expect(outcomes == ["2", "3", "7", "7"])
    }

    @Test func `answers that are read together with the end are lost, and are no empty results`() async throws {
        let outcomes = try await Self.outcomes(5) { scene, test in
            scene.send(Self.number)
            scene.send(Self.number)
            scene.send(Self.nextNumber)
            try scene.endServer(test)
            scene.send(Self.number)
            scene.send(Self.number, atOnce: false)
            scene.receive()
        }
        #expect(outcomes == ["7", "7", "7", "7", "connectionLostAfterSending"])
    }

    @Test func `every query ends on a connection that breaks while many are sent`() async throws {
        let outcomes = try await Self.outcomes(8) { scene, test in
            try scene.endServer(test)
            scene.send(Self.number)
            for _ in 0..<6 { scene.send(Self.nextNumber) }
            scene.send(Self.number)
        }
        let lost = outcomes.filter { $0 == "connectionLostAfterSending" }
        // None of the lost ones was run.
        #expect(outcomes == (2..<(8 - lost.count)).map(String.init) + ["7", "7"] + lost)
        #expect(lost.count < 6)
    }

    @Test func `a read that is to be sent again ends when the pool closes`() async throws {
        let outcomes = try await Self.outcomes(1) { scene, test in
            scene.send(Statement("SELECT pg_sleep(20)", isReadOnly: true))
            try scene.endServer(test)
            scene.receive()
            #expect(scene.outcomes.count == 2)
            scene.pool.close()
            // Nothing comes later where the loop stops as well.
            #expect(scene.outcomes.last == "connectionFailure")
        }
        #expect(outcomes == ["connectionFailure"])
    }

    @Test func `a silent server's reads end with the outage, and changes wait for its return`() async throws {
        let relay = try Relay(before: TestDatabase.createEmpty())
        defer { relay.stop() }
        try await TestPool.with("CREATE SEQUENCE numbers", url: relay.url) { test async throws in
            let loop = test.loop
            let scene = await loop.run { LoopBound(Scene(test), on: loop) }
            #expect(try await eventually { await loop.run { scene.value.pool.state.availability.connectionsUp == 2 } })
            relay.behave(.holding)
            await loop.run {
                scene.value.send(Self.number, atOnce: false)
                scene.value.send(Self.nextNumber)
                scene.value.pool.startWatching()
            }
            let refused = ["connectionFailure"]
            #expect(try await eventually(within: .seconds(9)) { await loop.run { scene.value.outcomes == refused } })
            relay.behave(.forwarding)
            #expect(try await eventually { await loop.run { scene.value.outcomes == refused + ["1"] } })
            await loop.run { scene.value.pool.close() }
        }
    }

    @Test func `a read that is sent again does not outlast an outage`() async throws {
        let direct = try TestDatabase.createEmpty()
        let relay = try Relay(before: direct)
        try await TestPool.with(url: relay.url) { test async throws in
            let loop = test.loop
            let scene = await loop.run { LoopBound(Scene(test), on: loop) }
            #expect(try await eventually { await loop.run { scene.value.pool.state.availability.connectionsUp == 2 } })
            await loop.run { scene.value.submit(Statement("SELECT pg_sleep(20)", isReadOnly: true)) }
            let own = try BlockingConnection.connect(to: direct)
            let asleep = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
            #expect(try await eventually { try own.query(asleep, []).count == 1 })
            // Nobody connects any more.
            relay.stop()
            try own.execute(Self.endAll)
            let outcomes = ["connectionFailure"]
            #expect(try await eventually(within: .seconds(6)) { await loop.run { scene.value.outcomes == outcomes } })
            await loop.run { scene.value.pool.close() }
        }
    }
}

extension DatabaseEvent {
    fileprivate var lostReason: String? {
        if case .connectionLost(_, let reason) = self { reason } else { nil }
    }
}
