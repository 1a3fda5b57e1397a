import SwiftletAuth
import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletWeb

/// Reads on a standby that really follows, and is held up.
@Suite(.needsDatabase, .hangLimit)
struct ReplicaReadsTests {
    private static let notes = Function("notes") {
        Get { _, context in try await read(context) }
        Get("/primary") { _, context in try await read(context) }.readingPrimary()
        Get("/slow") { _, context in
            _ = try await context.database.query("SELECT nap FROM naps WHERE tenant_id = \(context.tenant)")
            return try await read(context)
        }
        Get("/both") { _, context in
            _ = try await context.database.query("INSERT INTO notes VALUES (\(context.tenant), 'by GET')")
            return try await read(context)
        }
        Post { request, context in
            let text = String(decoding: request.body, as: UTF8.self)
            _ = try await context.database.query("INSERT INTO notes VALUES (\(context.tenant), \(text))")
            return Response(status: .created)
        }
    }

    /// The notes, and whether a standby has told them.
    @Sendable private static func read(_ context: Context) async throws -> Response {
        let rows = try await context.database.query(
            "SELECT text, current_setting('transaction_read_only') AS place FROM notes WHERE tenant_id = \(context.tenant) ORDER BY text"
        )
        let place = rows.first?["place"] == "on" ? "replica" : "primary"
        return Response(body: Array(([place] + rows.compactMap { $0["text"] }).joined(separator: ",").utf8))
    }

    private static let table = """
        CREATE TABLE notes (tenant_id varchar NOT NULL, text text NOT NULL); INSERT INTO notes VALUES ('a', 'first');
        CREATE VIEW naps AS
        SELECT 'a' AS tenant_id, CASE WHEN pg_is_in_recovery() THEN pg_sleep(60)::text END AS nap
        """

    private static let field: Headers.Name = "X-Swiftlet-Position"

    private struct App {
        let server: TestApplication
        var position: String? = "new"

        mutating func send(_ method: SwiftletHTTP.Method, _ path: String, _ body: String = "") async throws -> String {
            let token = try TestApplication.token(tenant: "a", user: "ann")
            let headers = position.map { [(ReplicaReadsTests.field, $0)] } ?? []
            let response = try await server.send(method, path, token: token, body, headers: headers)
            if let told = response.headers[ReplicaReadsTests.field] { position = told }
            return response.text
        }
    }

    private func with(_ body: (TestReplication, TestApplication) async throws -> Void) async throws {
        try await TestReplication.with { replication in
            try BlockingConnection.connect(to: replication.primaryURL).execute(Self.table)
            try await TestApplication.with(
                [Self.notes],
                databaseURL: replication.primaryURL,
                replicaURLs: [replication.standbyURL]
            ) { server in
                try await body(replication, server)
            }
        }
    }

    @Test func `a standby takes the reads of those whose writes it has, and no others`() async throws {
        try await with { replication, server in
            let replicas = try #require(server.replicas)
            var app = App(server: server)
            // An app that was just started may have written before.
            #expect(try await app.send(.get, "/notes") == "primary,first")
            try await replication.catchUp()
            await replicas.ask()
            #expect(replicas.figures.map(\.standing) == [.following])
            #expect(try await app.send(.get, "/notes") == "replica,first")
            #expect(try await app.send(.get, "/notes/primary") == "primary,first")

            try await replication.pause()
            let before = app
            for number in 1...5 {
                _ = try await app.send(.post, "/notes", "n\(number)")
                await replicas.ask()
                let expected = (["primary", "first"] + (1...number).map { "n\($0)" }).joined(separator: ",")
                #expect(try await app.send(.get, "/notes") == expected)
            }
            // Somebody who has written nothing since may see the state of before.
            var other = before
            #expect(try await other.send(.get, "/notes") == "replica,first")
            // Who tells no position reads from the primary, as does who has made one up.
            for position in [nil, "", "new", "ffffffffffffffffffffffff." + String(repeating: "0", count: 32), "1", "💥"]
            {
                var stranger = App(server: server, position: position)
                #expect(try await stranger.send(.get, "/notes").hasPrefix("primary,first,n1"))
            }
            var forged = before
            forged.position = forged.position.map { "0" + $0.dropFirst() == $0 ? "1" + $0.dropFirst() : $0 }
            #expect(try await forged.send(.get, "/notes").hasPrefix("primary,first,n1"))
            // As after a restore of an older state: it is signed, and nowhere yet.
            let ahead = try PositionToken(Secret(TestApplication.secret)).text(
                of: WritePosition(timeline: 1, place: LogSequenceNumber(rawValue: .max))
            )
            var future = App(server: server, position: ahead)
            #expect(ahead?.hasPrefix("00000001ffffffffffffffff.") == true)
            #expect(try await future.send(.get, "/notes").hasPrefix("primary,first,n1"))
            #expect(try await other.send(.get, "/notes/both") == "primary,by GET,first,n1,n2,n3,n4,n5")
            #expect(other.position != before.position)

            try await replication.resume()
            try await replication.catchUp()
            await replicas.ask()
            #expect(try await app.send(.get, "/notes") == "replica,by GET,first,n1,n2,n3,n4,n5")
            let metrics = await server.application.metricsText()
            #expect(metrics.contains("swiftlet_replica_up{replica=\"0\",standing=\"following\"} 1"))
            #expect(metrics.contains("swiftlet_replica_reads_total{replica=\"0\"} 3"))
        }
    }

    @Test func `a standby of another cluster takes no read, however far it says to be`() async throws {
        try await TestReplication.with { stranger in
            let theirs = try BlockingConnection.connect(to: stranger.primaryURL)
            try theirs.execute(Self.table)
            try theirs.execute("UPDATE notes SET text = 'theirs'")
            // Some 20 MB of log: it is ahead of any position of the other.
            try theirs.execute("INSERT INTO notes SELECT 'b', md5(n::text) FROM generate_series(1, 200000) AS n")
            try await stranger.catchUp()
            try await TestReplication.with { replication in
                try BlockingConnection.connect(to: replication.primaryURL).execute(Self.table)
                try await TestApplication.with(
                    [Self.notes],
                    databaseURL: replication.primaryURL,
                    replicaURLs: [stranger.standbyURL, replication.standbyURL]
                ) { server in
                    let replicas = try #require(server.replicas)
                    var app = App(server: server)
                    _ = try await app.send(.get, "/notes")
                    try await replication.catchUp()
                    await replicas.ask()
                    #expect(replicas.figures.map(\.standing) == [.promoted, .following])
                    for _ in 0..<4 { #expect(try await app.send(.get, "/notes") == "replica,first") }
                }
            }
        }
    }

    @Test func `another database of the standby takes no read`() async throws {
        try await TestReplication.with { replication in
            try BlockingConnection.connect(to: replication.primaryURL).execute(Self.table)
            try BlockingConnection.connect(to: replication.primaryURL).execute("CREATE DATABASE other")
            let other = replication.urls(of: "other")
            try BlockingConnection.connect(to: other.primary).execute(Self.table + "; UPDATE notes SET text = 'other'")
            try await TestApplication.with(
                [Self.notes],
                databaseURL: replication.primaryURL,
                replicaURLs: [other.standby]
            ) { server in
                let replicas = try #require(server.replicas)
                var app = App(server: server)
                _ = try await app.send(.get, "/notes")
                try await replication.catchUp()
                await replicas.ask()
                #expect(replicas.figures.map(\.standing) == [.promoted])
                #expect(try await app.send(.get, "/notes") == "primary,first")
            }
        }
    }

    // It takes the two seconds for which a replica is waited for.
    @Test func `a statement that is slow on a standby costs it no other reads`() async throws {
        try await with { replication, server in
            let replicas = try #require(server.replicas)
            var app = App(server: server)
            _ = try await app.send(.get, "/notes")
            try await replication.catchUp()
            await replicas.ask()
            let asker = app
            async let slow = Self.slow(asker)
            let standby = try BlockingConnection.connect(to: replication.standbyURL)
            let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
            #expect(try await eventually { try standby.query(sleeping).first?[0] == "1" })
            await replicas.ask()
            let answer = try await slow
            #expect(answer.hasSuffix(",first"), "\(answer)")
            #expect(replicas.totalFallbacks >= 1)
            #expect(replicas.figures.map(\.standing) == [.following])
            #expect(try await app.send(.get, "/notes") == "replica,first")
        }
    }

    private static func slow(_ app: App) async throws -> String {
        var app = app
        return try await app.send(.get, "/notes/slow")
    }

    @Test func `reads go on at the primary when the standby stops, or is promoted`() async throws {
        try await with { replication, server in
            let replicas = try #require(server.replicas)
            var app = App(server: server)
            _ = try await app.send(.post, "/notes", "second")
            try await replication.catchUp()
            await replicas.ask()
            #expect(try await app.send(.get, "/notes") == "replica,first,second")
            // Nobody has been told yet.
            try await replication.promote()
            try BlockingConnection.connect(to: replication.standbyURL).execute("DELETE FROM notes")
            #expect(try await app.send(.get, "/notes") == "primary,first,second")
            await replicas.ask()
            #expect(replicas.figures.map(\.standing) == [.promoted])
            await replication.stopStandby()
            #expect(try await app.send(.get, "/notes") == "primary,first,second")
            await replicas.ask()
            #expect(replicas.figures.map(\.standing) == [.lost])
            #expect(replicas.totalFallbacks >= 2)
        }
    }

    @Test func `a primary that was replaced, and does not know it, is left`() async throws {
        try await TestReplication.with { replication in
            try BlockingConnection.connect(to: replication.primaryURL).execute(Self.table)
            try await TestApplication.with(
                [Self.notes],
                databaseURL: replication.eitherURL,
                replicaURLs: [replication.standbyURL]
            ) { server in
                let replicas = try #require(server.replicas)
                var app = App(server: server)
                #expect(try await app.send(.get, "/notes") == "primary,first")
                try await replication.catchUp()
                try await replication.promote()
                let promoted = try BlockingConnection.connect(to: replication.standbyURL)
                try promoted.execute("UPDATE notes SET text = 'newer'")
                await replicas.ask()
                #expect(try await app.send(.get, "/notes") == "primary,newer")
                _ = try await app.send(.post, "/notes", "second")
                #expect(try promoted.query("SELECT count(*) FROM notes WHERE text = 'second'") == [["1"]])
                #expect(try await app.send(.get, "/notes") == "primary,newer,second")
            }
        }
    }
}
