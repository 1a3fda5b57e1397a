import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

/// `postgres_changes` over the sockets of channels.
@Suite(.needsDatabase, .hangLimit)
struct ChannelChangesTests {
    private static let entries = """
        [{"event":"INSERT","schema":"public","table":"todos","filter":"team=eq.a"},{"event":"*","schema":"public"}]
        """

    @Test(arguments: ["1.0.0", "2.0.0"])
    func `a channel is told what is committed after it has joined, with the ids of its entries`(
        version: String
    ) async throws {
        try await TestChanges.with { changes in
            let realtime = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let result = await blocking {
                Result {
                    let client = try realtime.client(version)
                    let joined = try client.join("realtime:room", #"{"postgres_changes":\#(Self.entries)}"#)
                    let ids = try #require(joined.payload["response"]?["postgres_changes"]?.array).map { $0["id"] }
                    try changes.execute("INSERT INTO todos VALUES (1, 'a', 'one'), (2, 'b', 'two')")
                    var told: [JSONValue] = []
                    while told.count < 2 {
                        let message = try client.next()
                        if message.event == "system" { #expect(message.payload["status"] == "ok") }
                        if message.event == "postgres_changes" { told.append(message.payload) }
                    }
                    #expect(told[0]["ids"]?.array?.map { $0 } == ids.map { $0 ?? .null })
                    #expect(told[0]["data"]?["type"] == "INSERT")
                    #expect(told[0]["data"]?["record"] == ["id": 1, "team": "a", "title": "one", "done": false])
                    #expect(told[1]["ids"]?.array?.map { $0 } == [ids[1] ?? .null])
                    #expect(told[1]["data"]?["record"]?["id"] == 2)
                }
            }
            await realtime.stop()
            try result.get()
        }
    }

    @Test func `rows of others are told to nobody`() async throws {
        try await TestChanges.with(TestChanges.todos + TestChanges.teamPolicy) { changes in
            let realtime = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let result = await blocking {
                Result {
                    let token = try TestRealtime.token(["role": "authenticated", "sub": "ada", "team": "a"])
                    let client = try realtime.client(token: token)
                    _ = try client.join("realtime:room", #"{"postgres_changes":[{"event":"*","table":"todos"}]}"#)
                    try changes.execute("INSERT INTO todos VALUES (1, 'b', 'theirs'), (2, 'a', 'ours')")
                    var message = try client.next()
                    while message.event != "postgres_changes" { message = try client.next() }
                    #expect(message.payload["data"]?["record"]?["title"] == "ours")
                }
            }
            await realtime.stop()
            try result.get()
        }
    }

    @Test func `a token with other claims changes at once which rows are told`() async throws {
        try await TestChanges.with(TestChanges.todos + TestChanges.teamPolicy) { changes in
            let realtime = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let result = await blocking {
                Result {
                    func token(_ team: String) throws -> String {
                        try TestRealtime.token(["role": "authenticated", "sub": "ada", "team": .string(team)])
                    }
                    let client = try realtime.client(token: try token("a"))
                    _ = try client.join("realtime:room", #"{"postgres_changes":[{"event":"*","table":"todos"}]}"#)
                    try changes.execute("INSERT INTO todos VALUES (-1, 'b'), (0, 'a')")
                    #expect(try Self.told(client, until: 0).changes == ["INSERT 0"])
                    try client.send(
                        "access_token",
                        "realtime:room",
                        #"{"access_token":"\#(try token("b"))"}"#,
                        ref: "2",
                        joinRef: "1"
                    )
                    // It is not answered: until it counts, the row of team a is told, and from then on the other.
                    var (id, team) = (1, "a")
                    while team == "a" {
                        try changes.execute("INSERT INTO todos VALUES (\(id), 'a'), (\(id + 1), 'b')")
                        var message = try client.next()
                        while message.event != "postgres_changes" { message = try client.next() }
                        team = message.payload["data"]?["record"]?["team"]?.string ?? ""
                        id += 2
                    }
                    #expect(team == "b")
                    try changes.execute("INSERT INTO todos VALUES (1000, 'a'), (1001, 'b')")
                    #expect(try Self.told(client, until: 1001).changes == ["INSERT 1001"])
                    // What leaves the new sight is a deletion, and what enters it is told.
                    try changes.execute("UPDATE todos SET team = 'a' WHERE id = 1001")
                    #expect(try Self.told(client, until: 1001).changes == ["DELETE 1001"])
                }
            }
            await realtime.stop()
            try result.get()
        }
    }

    /// The changes until one of this id has come, as `INSERT 1`, and the position of the last.
    private static func told(_ client: PhoenixClient, until id: Int) throws -> (changes: [String], position: String) {
        var changes: [String] = []
        while true {
            let message = try client.next()
            guard message.event == "postgres_changes", let data = message.payload["data"] else { continue }
            let row = data["record"] ?? data["old_record"]
            changes.append("\(data["type"]?.string ?? "?") \(row?["id"]?.int ?? -1)")
            if row?["id"]?.int == id { return (changes, data["pos"]?.string ?? "") }
        }
    }

    @Test func `a channel that comes back with its position gets what it missed while its server was dead`()
        async throws
    {
        try await TestChanges.with { changes in
            let all = #""postgres_changes":[{"event":"*","table":"todos"}]"#
            let first = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let before = await blocking {
                Result {
                    let client = try first.client("2.0.0")
                    let joined = try client.join("realtime:room", "{\(all)}")
                    let start = try #require(joined.payload["response"]?["pos"]?.string)
                    try changes.execute("INSERT INTO todos VALUES (1), (2)")
                    let told = try Self.told(client, until: 2)
                    #expect(told.changes == ["INSERT 1", "INSERT 2"])
                    return (start, told.position)
                }
            }
            first.crash()
            await first.stop()
            let (start, position) = try before.get()
            try changes.execute("INSERT INTO todos VALUES (3); DELETE FROM todos WHERE id = 1")
            let second = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let result = await blocking {
                Result {
                    let client = try second.client("2.0.0")
                    let joined = try client.join("realtime:room", #"{\#(all),"replay":{"since":"\#(position)"}}"#)
                    #expect(joined.payload["response"]?["pos"]?.string == position)
                    try changes.execute("INSERT INTO todos VALUES (4)")
                    #expect(try Self.told(client, until: 4).changes == ["INSERT 3", "DELETE 1", "INSERT 4"])
                    // From the very beginning.
                    _ = try client.join("realtime:other", #"{\#(all),"replay":{"since":"\#(start)"}}"#, ref: "2")
                    let again = try Self.told(client, until: 4).changes
                    #expect(again == ["INSERT 1", "INSERT 2", "INSERT 3", "DELETE 1", "INSERT 4"])
                    let old = ChangePosition(epoch: 1, commit: .zero, index: 0).description
                    for (since, reason) in [("nonsense", "InvalidCursor"), (old, "CursorExpired")] {
                        let refused = try client.join("realtime:bad", #"{\#(all),"replay":{"since":"\#(since)"}}"#)
                        #expect(refused.status == "error")
                        #expect(refused.reason?.hasPrefix(reason) == true, "\(refused)")
                    }
                }
            }
            await second.stop()
            try result.get()
        }
    }

    @Test func `hundreds that come back at once each get what they missed, once and in order`() async throws {
        try await TestChanges.with { changes in try await comeBack(300, changes, to: changes.hub) }
    }

    /// As where thousands come back: then the pool refuses what is more than it lets wait.
    @Test func `who comes back while the database has too much to do waits for its turn`() async throws {
        try await TestChanges.with { changes in
            var configuration = DatabaseConfiguration(url: changes.url, connections: 1)
            configuration.maximumWaiters = 2
            configuration.maximumDepth = 1
            let database = Database(configuration: configuration, group: changes.application.group, onEvent: { _ in })
            database.start()
            let hub = ChangeHub(database: database, logger: TestApplication.silent)
            let running = Task { await hub.run() }
            let result = await Task { try await comeBack(12, changes, to: hub) }.result
            running.cancel()
            await running.value
            await database.shutdown()
            try result.get()
        }
    }

    /// So many sockets join at once behind a position, and each is told what it has missed.
    private func comeBack(_ count: Int, _ changes: TestChanges, to hub: ChangeHub) async throws {
        let all = #""postgres_changes":[{"event":"*","table":"todos"}]"#
        let realtime = try await TestRealtime.start(databaseURL: changes.url, changes: hub)
        let result = await blocking {
            Result {
                let first = try realtime.client()
                let position = try first.join("realtime:room", "{\(all)}").payload["response"]?["pos"]?.string ?? ""
                try changes.execute("INSERT INTO todos SELECT generate_series(1, 50)")
                _ = try Self.told(first, until: 50)
                let clients = try (0..<count).map { _ in try realtime.client() }
                for client in clients {
                    try client.send(
                        "phx_join",
                        "realtime:room",
                        #"{"config":{\#(all),"replay":{"since":"\#(position)"}}}"#,
                        ref: "1",
                        joinRef: "1"
                    )
                }
                // While they are given what they missed, there is more.
                try changes.execute("INSERT INTO todos SELECT generate_series(51, 60)")
                let expected = (1...60).map { "INSERT \($0)" }
                for client in clients { #expect(try Self.told(client, until: 60).changes == expected) }
                for client in clients { #expect(try client.isQuiet()) }
            }
        }
        await realtime.stop()
        try result.get()
    }

    @Test func `an entry of a table that does not exist is refused by name`() async throws {
        try await TestChanges.with { changes in
            let realtime = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let result = await blocking {
                Result {
                    let client = try realtime.client()
                    let joined = try client.join(
                        "realtime:room",
                        #"{"postgres_changes":[{"event":"*","table":"todoz"}]}"#
                    )
                    #expect(joined.status == "ok")
                    let system = try client.next()
                    #expect(system.event == "system")
                    #expect(system.payload["status"] == "error")
                    #expect(system.payload["message"]?.string?.contains("todoz") == true)
                }
            }
            await realtime.stop()
            try result.get()
        }
    }
}
