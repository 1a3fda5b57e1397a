import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletJobs

/// Claims whose answer never came: nobody must keep what nobody knows to hold.
@Suite(.needsDatabase, .hangLimit)
struct LostClaimTests {
    /// Longer than the tests: what a server forgets stays with it.
    private static var settings: JobSettings {
        var settings = JobSettings()
        settings.lease = .seconds(600)
        return settings
    }

    private static func function(_ diary: Diary) -> Function {
        Function("errand") { Job("mark") { (note: Note, _: Context) in _ = diary.write(note.text) } }
    }

    private static func fill(_ application: TestApplication, _ count: Int) throws {
        try application.execute(
            """
            INSERT INTO swiftlet.jobs (name, payload)
            SELECT 'mark', '{"text":"' || i || '"}' FROM generate_series(1, \(count)) i
            """
        )
    }

    @Test func `what a server holds without knowing it is returned, and the attempt does not count`() async throws {
        try await Office.with([], performsJobs: false) { application async throws in
            try Self.fill(application, 5)
            let queue = JobQueue(database: application.database, worker: 1, lease: .seconds(600))
            let stranger = JobQueue(database: application.database, worker: 2, lease: .seconds(600))
            let known = try await queue.claim(2, names: ["mark"]).jobs.map(\.claim.id)
            _ = try await queue.claim(2, names: ["mark"])
            _ = try await stranger.claim(1, names: ["mark"])
            #expect(try await queue.releaseAll(except: known) == 2)
            #expect(try application.count("swiftlet.jobs WHERE worker = 1 AND attempts = 1") == 2)
            #expect(try application.count("swiftlet.jobs WHERE worker IS NULL AND attempts = 0") == 2)
            #expect(try application.count("swiftlet.jobs WHERE worker = 2 AND attempts = 1") == 1)
            try await queue.leave()
            #expect(try application.count("swiftlet.jobs WHERE worker IS NULL AND attempts = 0") == 4)
            #expect(try application.count("swiftlet.job_workers") == 1)
        }
    }

    @Test func `jobs go on although connections break all the time`() async throws {
        let diary = Diary()
        try await Office.with([Self.function(diary)], jobs: Self.settings) { application async throws in
            for round in 1...10 {
                try Self.fill(application, 1000)
                application.worker.announce()
                _ = try await eventually { diary.all.count > 1000 * round - 900 }
                try application.execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """
                )
            }
            #expect(try await eventually(within: .seconds(30)) { try application.count("swiftlet.jobs") == 0 })
            #expect(try application.count("swiftlet.job_history WHERE state = 'done'") == 10_000)
        }
    }

    @Test func `a stop in the middle of the work leaves nothing claimed`() async throws {
        for _ in 0..<5 {
            let diary = Diary()
            try await Office.with([Self.function(diary)], jobs: Self.settings) { application async throws in
                try Self.fill(application, 20_000)
                application.worker.announce()
                #expect(try await eventually { diary.all.count > 2000 })
                await application.stopJobs(within: .seconds(5))
                #expect(try application.count("swiftlet.jobs WHERE worker IS NOT NULL") == 0)
                #expect(try application.count("swiftlet.job_workers") == 0)
                #expect(try application.count("swiftlet.job_history") == diary.all.count)
                #expect(Set(diary.all).count == diary.all.count)
            }
        }
    }
}
