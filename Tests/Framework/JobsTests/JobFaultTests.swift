import SwiftletEmbeddedPostgres
import SwiftletHTTP
import SwiftletMigrations
import SwiftletPostgres
import Synchronization
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletJobs

/// Jobs that throw, hang, or whose server dies.
@Suite(.needsDatabase, .hangLimit)
struct JobFaultTests {
    private struct Trouble: Error, CustomStringConvertible { let description = "trouble" }

    private static func enqueuing<Payload>(_ job: Job<Payload>, _ payload: Payload) -> Function {
        Function("errand") {
            Post { _, context in
                try await context.enqueue(job, payload)
                return .success
            }
            job
        }
    }

    @Test func `a job that throws is retried, then kept as failed, and harms no other`() async throws {
        let diary = Diary()
        let bad = Job("bad") { context in
            diary.write("bad")
            throw Trouble()
        }
        .attempting(3, delay: .milliseconds(10))
        let good = Job("good") { context in _ = diary.write("good") }
        let function = Function("errand") {
            Post("/bad") { _, context in
                try await context.enqueue(bad)
                return .success
            }
            Post("/good") { _, context in
                try await context.enqueue(good)
                return .success
            }
            bad
            good
        }
        try await Office.with([function]) { application async throws in
            #expect(try await application.post("/errand/bad") == .ok)
            #expect(try await application.post("/errand/good") == .ok)
            #expect(try await eventually { try application.count("swiftlet.job_history WHERE state = 'failed'") == 1 })
            #expect(diary.count("bad") == 3)
            #expect(diary.count("good") == 1)
            #expect(
                try application.value(
                    "SELECT last_error || attempts FROM swiftlet.job_history WHERE state = 'failed'"
                ) == "trouble3"
            )
            #expect(try application.count("swiftlet.jobs") == 0)
        }
    }

    @Test func `a payload of an older version is retried, then visible as failed`() async throws {
        let write = Job("write") { (note: Note, _: Context) in }.attempting(2, delay: .milliseconds(10))
        try await Office.with([Self.enqueuing(write, Note(text: ""))]) { application async throws in
            try application.execute(
                """
                INSERT INTO swiftlet.jobs (name, payload) VALUES ('write', '{"title":"old"}'), ('write', 'no json at all')
                """
            )
            application.worker.announce()
            #expect(try await eventually { try application.count("swiftlet.job_history WHERE state = 'failed'") == 2 })
        }
    }

    @Test func `a job that says so fails at once`() async throws {
        let refuse = Job("refuse") { _ in throw JobFailure("useless") }
        try await Office.with([Self.enqueuing(refuse, NoPayload())]) { application async throws in
            #expect(try await application.post("/errand") == .ok)
            #expect(try await eventually { try application.count("swiftlet.job_history WHERE attempts = 1") == 1 })
        }
    }

    @Test func `a job that never ends is cancelled at its limit, and its place is free again`() async throws {
        let diary = Diary()
        let hang = Job("hang") { _ async throws in
            diary.write("begun")
            // Deaf to its cancellation.
            await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        .limited(to: .milliseconds(100)).attempting(2, delay: .milliseconds(10))
        var settings = JobSettings()
        settings.concurrency = 1
        try await Office.with([Self.enqueuing(hang, NoPayload())], jobs: settings) { application async throws in
            #expect(try await application.post("/errand") == .ok)
            #expect(try await eventually { try application.count("swiftlet.job_history WHERE state = 'failed'") == 1 })
            #expect(diary.count("begun") == 2)
        }
    }

    @Test func `two servers share the jobs, and each runs once`() async throws {
        let diaries = [Diary(), Diary()]
        let functions = diaries.map { diary in
            let mark = Job("mark") { (note: Note, context: Context) in _ = diary.write(note.text) }
            return Self.enqueuing(mark, Note(text: "x"))
        }
        try await Office.with([functions[0]]) { first async throws in
            try await Office.with([functions[1]], databaseURL: first.databaseURL) { second async throws in
                try first.execute(
                    """
                    INSERT INTO swiftlet.jobs (name, payload, tenant, caller)
                    SELECT 'mark', '{"text":"' || i || '"}', 'acme', '{"sub":"ada"}' FROM generate_series(1, 3000) i
                    """
                )
                first.worker.announce()
                #expect(
                    try await eventually(within: .seconds(30)) { try first.count("swiftlet.job_history") == 3000 }
                )
                let all = diaries.flatMap(\.all)
                #expect(all.count == 3000)
                #expect(Set(all).count == 3000)
                #expect(!diaries[1].all.isEmpty, "the second server was woken")
            }
        }
    }

    @Test func `a claim that was taken over changes nothing`() async throws {
        try await Office.with([], performsJobs: false) { application async throws in
            try application.execute("INSERT INTO swiftlet.jobs (name) VALUES ('a')")
            let dead = JobQueue(database: application.database, worker: 1, lease: .milliseconds(1))
            let heir = JobQueue(database: application.database, worker: 2, lease: .seconds(30))
            let old = try #require(try await dead.claim(1, names: ["a"]).jobs.first).claim
            #expect(try await heir.claim(1, names: ["a"]).jobs.isEmpty)
            #expect(try await eventually { try await heir.rescue() == 1 })
            let new = try #require(try await heir.claim(1, names: ["a"]).jobs.first)
            #expect(new.attempt == 2)
            #expect(try await dead.complete([old]) == 0)
            #expect(try await !dead.fail(old, "late"))
            #expect(try await !dead.retry(old, after: .zero, "late"))
            try await dead.release([old])
            #expect(try await !dead.beat())
            #expect(try await heir.complete([new.claim]) == 1)
            #expect(try await heir.complete([new.claim]) == 0)
        }
    }

    @Test func `a transaction of a job that was taken over is undone`() async throws {
        let gate = Mutex<TestApplication?>(nil)
        let diary = Diary()
        let slow = Job("slow") { context in
            try await context.transaction { context in
                try await context.database.queryAcrossTenants("INSERT INTO marks (text) VALUES ('late')")
                if diary.write("run") == 1 {
                    try gate.withLock(\.self)?.execute(
                        "UPDATE swiftlet.jobs SET worker = NULL, fence = fence + 1, due = clock_timestamp()"
                    )
                }
            }
        }
        try await Office.with([Self.enqueuing(slow, NoPayload())]) { application async throws in
            gate.withLock { $0 = application }
            #expect(try await application.post("/errand") == .ok)
            application.worker.announce()
            #expect(try await eventually { try application.count("swiftlet.job_history") == 1 })
            #expect(diary.count("run") == 2)
            #expect(try application.count("marks") == 1)
        }
        gate.withLock { $0 = nil }
    }

    @Test func `a job in a transaction completes with it`() async throws {
        let diary = Diary()
        let pay = Job("pay") { context in
            try await context.database.queryAcrossTenants("INSERT INTO marks (text) VALUES ('paid')")
            if diary.write("run") == 1 { throw Trouble() }
        }
        .inTransaction().attempting(3, delay: .milliseconds(10))
        try await Office.with([Self.enqueuing(pay, NoPayload())]) { application async throws in
            #expect(try await application.post("/errand") == .ok)
            #expect(try await eventually { try application.count("swiftlet.job_history WHERE state = 'done'") == 1 })
            #expect(try application.count("marks") == 1)
            #expect(diary.count("run") == 2)
        }
    }

    @Test func `a stop lets jobs end within the grace and returns the rest`() async throws {
        let diary = Diary()
        let release = Mutex(false)
        let wait = Job("wait") { (note: Note, _: Context) in
            diary.write("begun \(note.text)")
            if note.text == "long" { return try await Task.sleep(for: .seconds(600)) }
            while !release.withLock(\.self) { try await Task.sleep(for: .milliseconds(5)) }
            diary.write("ended \(note.text)")
        }
        var settings = JobSettings()
        settings.concurrency = 2
        let function = Function("errand") {
            Post { request, context in
                try await context.enqueue(wait, Note(text: String(decoding: request.body, as: UTF8.self)))
                return .success
            }
            wait
        }
        try await Office.with([function], jobs: settings) { application async throws in
            for text in ["long", "short", "never"] { #expect(try await application.post("/errand", text) == .ok) }
            #expect(try await eventually { diary.all.count == 2 })
            // Before a place is free, as else "never" would begin.
            application.worker.stop(within: .milliseconds(1500))
            release.withLock { $0 = true }
            await application.stopJobs(within: .milliseconds(1500))
            #expect(Set(diary.all) == ["begun long", "begun short", "ended short"])
            #expect(try application.count("swiftlet.jobs WHERE worker IS NULL AND attempts = 0") == 2)
            #expect(try application.count("swiftlet.job_history") == 1)
            #expect(try application.count("swiftlet.job_workers") == 0)
        }
    }

    @Test func `a recurring job runs once per tick over all servers`() async throws {
        let diary = Diary()
        func function() -> Function {
            Function("clock") {
                Every(.seconds(1), "tick") { context in
                    let row = try await context.databaseAcrossTenants.query(
                        "SELECT floor(extract(epoch FROM now()))::int AS s"
                    )
                    diary.write(row.first?["s"] ?? "")
                }
                .acrossTenants()
            }
        }
        try await Office.with([function()]) { first async throws in
            try await Office.with([function()], databaseURL: first.databaseURL) { _ async throws in
                #expect(try await eventually(within: .seconds(30)) { diary.all.count >= 3 })
            }
            let rows = try first.count(
                "(SELECT due FROM swiftlet.job_history GROUP BY due HAVING count(*) > 1) AS twice"
            )
            #expect(rows == 0)
            #expect(Set(diary.all).count == diary.all.count)
        }
    }

    /// Yesterday's tick waits, or was never enqueued, because no server ran.
    @Test(arguments: [true, false])
    func `a daily job whose minute has passed runs once, late`(waits: Bool) async throws {
        let diary = Diary()
        let function = Function("clock") {
            Daily(at: "03:10", in: "Europe/Berlin", "sweep") { _ in diary.write("swept") }.acrossTenants()
        }
        let database = try TestDatabase.create()
        let clock = try BlockingConnection.connect(to: database)
        let job =
            waits ? "INSERT INTO swiftlet.jobs (name, due, key) SELECT name, tick, 'tick' FROM ticked" : "TABLE ticked"
        try clock.execute(
            """
            WITH ticked AS (
                INSERT INTO swiftlet.job_ticks VALUES ('sweep', '86400+11400@Europe/Berlin', now() - interval '30 hours')
                RETURNING name, tick
            ) \(job)
            """
        )
        for _ in 0..<2 {
            try await Office.with([function], databaseURL: database) { application async throws in
                let next = "swiftlet.jobs WHERE name = 'sweep' AND key = 'tick' AND due > now()"
                #expect(try await eventually { try application.count(next) == 1 })
                #expect(try await eventually { try application.count("swiftlet.job_history") == 1 })
            }
        }
        #expect(diary.all == ["swept"])
    }

    @Test func `only jobs that say so see everybody's rows`() async throws {
        let peek = Job("peek") { context in
            try await context.databaseAcrossTenants.query("SELECT 1")
        }
        .attempting(1)
        try await Office.with([Self.enqueuing(peek, NoPayload())]) { application async throws in
            #expect(try await application.post("/errand") == .ok)
            #expect(try await eventually { try application.count("swiftlet.job_history WHERE state = 'failed'") == 1 })
        }
    }

    @Test func `PostgreSQL stops and returns: nothing is lost, and work goes on`() async throws {
        let folder = "/tmp/swiftlet-jobs-\(UInt32.random(in: 0...UInt32.max))"
        var cluster = try PostgresCluster.start(in: folder, settings: ["fsync": "off"])
        defer { try? PostgresCluster.delete(folder) }
        try Migrator(url: cluster.url(), files: TestDatabase.files()).apply()
        try BlockingConnection.connect(to: cluster.url()).execute(Office.table)
        let pay = Job("pay") { context in
            try await context.database.queryAcrossTenants("INSERT INTO marks (text) VALUES ('paid')")
        }
        .inTransaction().attempting(100, delay: .milliseconds(50))
        try await Office.with([Self.enqueuing(pay, NoPayload())], databaseURL: cluster.url()) {
            application async throws in
            try application.execute(
                """
                INSERT INTO swiftlet.jobs (name, tenant, caller)
                SELECT 'pay', 'acme', '{"sub":"ada"}' FROM generate_series(1, 2000)
                """
            )
            application.worker.announce()
            #expect(try await eventually { try application.count("marks") > 20 })
            cluster.stop()
            cluster = try PostgresCluster.start(in: folder, settings: ["fsync": "off"])
            #expect(try await eventually(within: .seconds(60)) { try application.count("swiftlet.jobs") == 0 })
            #expect(try application.count("marks") == 2000)
            #expect(try application.count("swiftlet.job_history WHERE state = 'done'") == 2000)
        }
        cluster.stop()
    }
}
