import Foundation
import SwiftletClient
import SwiftletSync
import SwiftletTesting
import Testing

private let rounds = ProcessInfo.processInfo.environment["SYNC_ROUNDS"].flatMap { Int($0) } ?? 200

/// Five apps that write offline, rows that move between teams, people who join and leave them, requests and answers that
/// are lost, and crashes of apps and servers: in the end every copy is what its user may see, and every change was made
/// once, or told as a conflict.
///
/// `SYNC_ROUNDS` is how many rounds, `SYNC_SEED` repeats a run.
@Suite(.needsDatabase, .timeLimit(.minutes(max(5, rounds / 400))))
struct ConvergenceTests {
    private static let people = ["p0", "p1", "p2", "p3", "p4"]
    private static let teams = ["a", "b", "c"]

    private final class App {
        let name: String
        let network = FaultyTransport()
        let client: APIClient
        let folder: StoreFolder
        var store: SyncStore

        init(_ name: String, _ server: SyncServer, _ folder: StoreFolder) async throws {
            self.name = name
            self.folder = folder
            client = try await server.client(name, transport: network)
            store = try folder.store(client, name)
        }

        /// What was not written is lost with the process; nothing else is.
        func crash() throws { store = try folder.store(client, name) }
    }

    @Test func `copies converge`() async throws {
        let given = ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            var apps: [App] = []
            for name in Self.people { apps.append(try await App(name, server, folder)) }
            try server.execute(
                "INSERT INTO members SELECT 'p' || n, t FROM generate_series(0, 4) n, unnest('{a,b}'::text[]) t"
            )
            var written: Set<String> = []
            for round in 0..<rounds {
                let app = random.element(of: apps)
                switch random.below(20) {
                case 0..<9: try await write(app, "\(round)", &written, &random)
                case 9..<15: try await synchronize(app, &random)
                case 15: try app.crash()
                case 16, 17: try server.execute(Self.move(&random))
                case 18: try server.execute(Self.join(&random))
                default:
                    if random.below(3) == 0 {
                        await server.stop()
                        if random.below(2) == 0 { try await write(app, "\(round)", &written, &random) }
                        try await server.startAgain()
                    } else {
                        try server.execute(
                            "DELETE FROM notes WHERE id = (SELECT id FROM notes ORDER BY random() LIMIT 1)"
                        )
                    }
                }
            }
            try await server.isReading()
            for app in apps {
                await app.network.plan([])
                let isThere = try await eventually(within: .seconds(40)) {
                    try await app.store.synchronize()
                    return try await Self.shown(app) == Self.visible(to: app.name, server)
                }
                let shown = try await Self.shown(app)
                let visible = try Self.visible(to: app.name, server)
                try #require(isThere, "seed \(seed), \(app.name): \(shown.symmetricDifference(visible))")
            }
            try await expectEachOnce(written, apps, server, seed)
            if rounds > 200 { print("seed \(seed), \(rounds) rounds: \(written.count) changes made once or told") }
        }
    }

    private static func shown(_ app: App) async throws -> Set<Note> { Set(try await app.store.current("notes")) }

    /// What PostgreSQL itself says.
    private static func visible(to person: String, _ server: SyncServer) throws -> Set<Note> {
        let rows = try server.query(
            "SELECT id, team, title, rank FROM notes WHERE team IN (SELECT team FROM members WHERE user_id = '\(person)')"
        )
        return Set(
            rows.map { row in
                Note(
                    id: row[0].flatMap { UUID(uuidString: $0) } ?? UUID(),
                    team: row[1] ?? "",
                    title: row[2],
                    rank: row[3].flatMap { Int($0) }
                )
            }
        )
    }

    private func expectEachOnce(
        _ written: Set<String>,
        _ apps: [App],
        _ server: SyncServer,
        _ seed: UInt64
    ) async throws {
        var made = try server.query("SELECT title FROM log").compactMap { $0[0] }
        made.removeAll { $0 == "moved" }
        #expect(Set(made).count == made.count, "seed \(seed): some were made twice")
        var told: [String] = []
        for app in apps {
            for conflict in try await app.store.conflicts where conflict.operation != .delete {
                told.append(try conflict.values(as: Title.self).title)
            }
            #expect(try await app.store.pendingChanges == 0)
        }
        #expect(Set(told).count == told.count, "seed \(seed): some were told twice")
        #expect(Set(told).isDisjoint(with: made), "seed \(seed)")
        #expect(Set(told).union(made) == written, "seed \(seed)")
    }

    private struct Title: Codable { let title: String }

    private func write(
        _ app: App,
        _ title: String,
        _ written: inout Set<String>,
        _ random: inout SeededGenerator
    ) async throws {
        let notes = try await Self.shown(app).sorted { $0.id.uuidString < $1.id.uuidString }
        switch random.below(6) {
        case 0, 1:
            try await app.store.insert(Note(team: random.element(of: Self.teams), title: title), into: "notes")
            written.insert(title)
        case 2 where !notes.isEmpty:
            try await app.store.delete(SyncKey(random.element(of: notes).id), from: "notes")
        case _ where !notes.isEmpty:
            let note = random.element(of: notes)
            let columns = random.below(3) == 0 ? ["rank"] : []
            let values = Change(title: title, rank: random.below(2) == 0 ? random.below(100) : nil)
            try await app.store.update("notes", SyncKey(note.id), set: values, unlessChanged: columns)
            written.insert(title)
        default: break
        }
    }

    private struct Change: Encodable {
        let title: String
        let rank: Int?
    }

    private func synchronize(_ app: App, _ random: inout SeededGenerator) async throws {
        var faults: [FaultyTransport.Fault?] = []
        for _ in 0..<3 { faults.append([.loseRequest, .loseAnswer, nil, nil, nil][random.below(5)]) }
        await app.network.plan(faults)
        do { try await app.store.synchronize() } catch APIError.network {}
    }

    private static func move(_ random: inout SeededGenerator) -> String {
        """
        UPDATE notes SET team = '\(random.element(of: teams))'
        WHERE id IN (SELECT id FROM notes ORDER BY md5(id::text || '\(random.below(1000))') LIMIT 2)
        """
    }

    private static func join(_ random: inout SeededGenerator) -> String {
        let (person, team) = (random.element(of: people), random.element(of: teams))
        return """
            WITH gone AS (DELETE FROM members WHERE user_id = '\(person)' AND team = '\(team)' RETURNING 1)
            INSERT INTO members SELECT '\(person)', '\(team)' WHERE NOT EXISTS (SELECT 1 FROM gone)
            """
    }
}
