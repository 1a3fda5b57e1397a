import Foundation
import SwiftletClient
import SwiftletSync
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct SyncStoreTests {
    private func titles(_ store: SyncStore) async throws -> Set<String> {
        Set(try await store.current("notes", as: Note.self).compactMap(\.title))
    }

    /// Synchronizes until it holds: the log comes a moment after the commit.
    private func settles(_ store: SyncStore, _ condition: () async throws -> Bool) async throws -> Bool {
        try await eventually(within: .seconds(30)) {
            try await store.synchronize()
            return try await condition()
        }
    }

    @Test func `rows come, change, leave one's sight and are deleted`() async throws {
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            try server.execute(
                """
                INSERT INTO members VALUES ('ada', 'a'), ('ada', 'b');
                INSERT INTO notes (id, team, title) SELECT gen_random_uuid(), 'a', 'old ' || n FROM generate_series(1, 1200) n;
                INSERT INTO notes (id, team, title) VALUES (gen_random_uuid(), 'c', 'hidden');
                """
            )
            let store = try folder.store(try await server.client("ada"))
            try await store.synchronize()
            #expect(try await store.current("notes", as: Note.self).count == 1200)
            try server.execute(
                """
                DELETE FROM notes WHERE title = 'old 1';
                UPDATE notes SET team = 'c' WHERE title = 'old 2';
                UPDATE notes SET team = 'b', title = 'moved' WHERE title = 'old 3';
                UPDATE notes SET team = 'a' WHERE title = 'hidden';
                """
            )
            #expect(try await settles(store) { try await titles(store).isSuperset(of: ["hidden", "moved"]) })
            let now = try await titles(store)
            #expect(now.count == 1199)
            #expect(now.isDisjoint(with: ["old 1", "old 2", "old 3"]))
            // Who sees the notes changes with another table.
            try server.execute("DELETE FROM members WHERE team = 'a'")
            #expect(try await settles(store) { try await titles(store) == ["moved"] })
            try server.execute("INSERT INTO members VALUES ('ada', 'c')")
            #expect(try await settles(store) { try await titles(store) == ["moved", "old 2"] })
            try server.execute("TRUNCATE notes")
            #expect(try await settles(store) { try await titles(store) == [] })
        }
    }

    @Test func `a copy that was away for longer than the log reads all rows anew, and deleted ones vanish`()
        async throws
    {
        let folder = try StoreFolder()
        // Some rows fill a table of the log's ring.
        try await SyncServer.with(maximumLogBytes: 15_000) { server async throws in
            try server.execute(
                """
                INSERT INTO members VALUES ('ada', 'a');
                INSERT INTO notes (id, team, title) SELECT gen_random_uuid(), 'a', t FROM unnest('{kept,gone,left}'::text[]) t
                """
            )
            let store = try folder.store(try await server.client("ada"))
            #expect(try await settles(store) { try await titles(store) == ["kept", "gone", "left"] })
            let kept = try #require(try await store.current("notes", as: Note.self).first { $0.title == "kept" })

            // The app sleeps, with changes of its own, until nothing tells of the deletion any more.
            try await store.update("notes", SyncKey(kept.id), set: ["rank": 7])
            try await store.insert(Note(team: "a", title: "mine"), into: "notes")
            try server.execute(
                """
                DELETE FROM notes WHERE title = 'gone'; UPDATE notes SET team = 'z' WHERE title = 'left';
                INSERT INTO notes (id, team, title) VALUES (gen_random_uuid(), 'a', 'new')
                """
            )
            let changed = try #require(try server.query("SELECT pg_current_wal_lsn()")[0][0])
            let isForgotten = try await eventually(within: .seconds(60)) {
                try server.execute(
                    "INSERT INTO notes (id, team, title) VALUES (gen_random_uuid(), 'z', repeat('z', 300))"
                )
                return try server.query("SELECT floor_lsn > '\(changed)' FROM swiftlet.change_stream") == [["t"]]
            }
            #expect(isForgotten)

            #expect(try await settles(store) { try await titles(store) == ["kept", "mine", "new"] })
            #expect(try await store.row("notes", SyncKey(kept.id), as: Note.self)?.rank == 7)
            #expect(try await store.pendingChanges == 0)
            #expect(try await store.conflicts.isEmpty)
        }
    }

    @Test func `what is written offline survives the app, and is applied once`() async throws {
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            try server.execute("INSERT INTO members VALUES ('ada', 'a')")
            let network = FaultyTransport()
            let client = try await server.client("ada", transport: network)
            let note = Note(team: "a", title: "one", rank: 1)
            do {
                let store = try folder.store(client)
                await network.plan([.loseRequest])
                try await store.insert(note, into: "notes")
                try await store.update("notes", SyncKey(note.id), set: ["title": "two"])
                await #expect(throws: APIError.network) { try await store.synchronize() }
                #expect(try await store.current("notes", as: Note.self).map(\.title) == ["two"])
            }
            // The app was killed.
            let store = try folder.store(client)
            #expect(try await store.pendingChanges == 2)
            #expect(try await store.row("notes", SyncKey(note.id), as: Note.self)?.title == "two")
            await network.plan([.loseAnswer])
            await #expect(throws: APIError.network) { try await store.synchronize() }
            #expect(try await store.pendingChanges == 2)
            try await store.update("notes", SyncKey(note.id), set: ["title": "three"])
            try await store.synchronize()
            #expect(try await store.pendingChanges == 0)
            #expect(try server.query("SELECT title FROM log ORDER BY number") == [["one"], ["two"], ["three"]])
            #expect(
                try await store.current("notes", as: Note.self) == [
                    Note(id: note.id, team: "a", title: "three", rank: 1)
                ]
            )
        }
    }

    @Test func `what the server does not take is told, also when its first answer was lost`() async throws {
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            try server.execute("INSERT INTO members VALUES ('ada', 'a')")
            let network = FaultyTransport()
            let store = try folder.store(try await server.client("ada", transport: network))
            let (first, second, third) = (
                Note(team: "a", title: "one"), Note(team: "z"), Note(team: "a", title: "three")
            )
            try await store.insert(first, into: "notes")
            try await store.insert(third, into: "notes")
            try await store.synchronize()
            try server.execute("UPDATE notes SET rank = 7 WHERE title = 'one'; DELETE FROM notes WHERE title = 'three'")

            try await store.update("notes", SyncKey(first.id), set: ["title": "bad"])
            try await store.insert(second, into: "notes")
            try await store.update("notes", SyncKey(first.id), set: ["title": "mine"], unlessChanged: ["rank"])
            try await store.update("notes", SyncKey(third.id), set: ["title": "late"])
            try await store.insert(Note(id: first.id, team: "a", title: "again"), into: "notes")
            try await store.update("notes", SyncKey(first.id), set: ["title": "good"])
            await network.plan([.loseAnswer])
            await #expect(throws: APIError.network) { try await store.synchronize() }
            try await store.synchronize()
            let conflicts = try await store.conflicts
            #expect(conflicts.map(\.code) == ["23514", "42501", "40001", "02000", "23505"])
            #expect(conflicts.map(\.reason) == [.rejected, .rejected, .conflict, .conflict, .conflict])
            #expect(try conflicts[0].values(as: [String: String].self) == ["title": "bad"])
            #expect(try conflicts[2].present(as: Note.self)?.rank == 7)
            #expect(conflicts[3].operation == .update)
            #expect(conflicts[3].key == SyncKey(third.id))
            #expect(try conflicts[3].present(as: Note.self) == nil)
            #expect(
                try await store.current("notes", as: Note.self) == [
                    Note(id: first.id, team: "a", title: "good", rank: 7)
                ]
            )
            for conflict in conflicts { try await store.dismiss(conflict) }
            #expect(try await store.conflicts.isEmpty)
            #expect(try await store.pendingChanges == 0)
        }
    }

    @Test func `a queue that was put back to an earlier time is sent as another client's`() async throws {
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            try server.execute("INSERT INTO members VALUES ('ada', 'a')")
            let client = try await server.client("ada")
            let store = try folder.store(client)
            try await store.insert(Note(team: "a", title: "one"), into: "notes")
            let copy = folder.url.appending(path: "copy")
            try FileManager.default.copyItem(at: folder.url.appending(path: "store"), to: copy)
            try await store.insert(Note(team: "a", title: "two"), into: "notes")
            try await store.synchronize()
            // The copy has one change, and makes two others.
            let restored = try SyncStore(client, tables: [SyncedTable("notes")], directory: copy)
            try await restored.insert(Note(team: "a", title: "three"), into: "notes")
            try await restored.insert(Note(team: "a", title: "four"), into: "notes")
            try await restored.synchronize()
            #expect(try await titles(restored).isSuperset(of: ["one", "three", "four"]))
            #expect(try await restored.conflicts.map(\.code) == ["23505"])
            // And the server's database was.
            try server.execute("UPDATE swiftlet.sync_clients SET last_id = 0, last_digest = ''")
            try await store.insert(Note(team: "a", title: "five"), into: "notes")
            try await store.synchronize()
            #expect(
                try server.query("SELECT title FROM log WHERE title IN ('three', 'four', 'five') ORDER BY 1")
                    == [["five"], ["four"], ["three"]]
            )
        }
    }

    @Test func `a copy is its user's alone, until it is cleared`() async throws {
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            try server.execute("INSERT INTO members VALUES ('ada', 'a')")
            do {
                let store = try folder.store(try await server.client("ada"))
                try await store.insert(Note(team: "a", title: "secret"), into: "notes")
                try await store.synchronize()
                try await store.update("notes", SyncKey("none"), set: ["title": "late"])
            }
            let store = try folder.store(try await server.client("bob"))
            await #expect(throws: SyncedByAnotherUser.self) { try await store.synchronize() }
            try await store.clear()
            #expect(try await store.current("notes", as: Note.self).isEmpty)
            #expect(try await store.pendingChanges == 0)
            try await store.synchronize()
            #expect(try await store.current("notes", as: Note.self).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store"])
            for name in ["rows.sqlite", "rows.sqlite-wal"] {
                let bytes = try Data(contentsOf: folder.url.appending(path: "store/\(name)"))
                #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(name)")
            }
        }
    }

    @Test func `a running store follows both sides, while the server goes away`() async throws {
        let folder = try StoreFolder()
        try await SyncServer.with { server async throws in
            try server.execute("INSERT INTO members VALUES ('ada', 'a'), ('bob', 'a')")
            let (ada, bob) = (
                try folder.store(try await server.client("ada"), "ada"),
                try folder.store(try await server.client("bob"), "bob")
            )
            let seen = Seen()
            let watching = Task {
                for try await notes in bob.rows(of: "notes", as: Note.self) {
                    await seen.add(notes.compactMap(\.title))
                }
            }
            let running = [Task { await ada.run() }, Task { await bob.run() }]
            try await ada.insert(Note(team: "a", title: "hello"), into: "notes")
            #expect(try await eventually(within: .seconds(30)) { await seen.last == ["hello"] })
            await server.stop()
            try await ada.insert(Note(team: "a", title: "offline"), into: "notes")
            #expect(try await eventually(within: .seconds(30)) { await ada.problem != nil })
            try await server.startAgain()
            #expect(try await eventually(within: .seconds(60)) { await seen.last == ["hello", "offline"] })
            #expect(try await eventually(within: .seconds(30)) { await ada.problem == nil })
            watching.cancel()
            for task in running { task.cancel() }
            for task in running { await task.value }
            _ = await watching.result
        }
    }

    private actor Seen {
        private(set) var last: [String] = []
        func add(_ titles: [String]) { last = titles.sorted() }
    }
}
