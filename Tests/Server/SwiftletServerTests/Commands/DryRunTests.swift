import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `swiftlet migrate up --dry-run`, as an operator runs it.
@Suite(.needsDatabase, .hangLimit)
final class DryRunTests {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.createEmpty()
        try FileManager.default.createDirectory(atPath: "\(folder)/migrations", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func run(_ text: String) async throws -> (status: Int32, output: String, errors: String) {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/migrations/0001_first.sql"))
        let environment = ["DATABASE_URL": url, "MIGRATIONS_DIR": "\(folder)/migrations"]
        return try await SwiftletProcess.run(["migrate", "up", "--dry-run"], in: folder, environment)
    }

    private var isEmpty: Bool {
        get throws {
            let text = "SELECT to_regclass('first') IS NULL AND to_regnamespace('swiftlet') IS NULL"
            return try BlockingConnection.connect(to: url).query(text) == [["t"]]
        }
    }

    @Test func `all that is pending is tried, and nothing applied`() async throws {
        let tried = try await run("CREATE TABLE first (id integer)")
        #expect(tried.status == 0)
        #expect(tried.output.contains("-- 0001_claims_and_roles\n"))
        #expect(tried.output.contains("CREATE TABLE first"))
        #expect(tried.output.hasSuffix("tried and rolled back: nothing applied\n"))
        #expect(try isEmpty)
    }

    @Test func `what would fail is told by file and line`() async throws {
        let failed = try await run("CREATE TABLE first (id integer);\nINSERT INTO frist VALUES (1)")
        #expect(failed.status != 0)
        #expect(failed.errors.contains("0001_first:2: "))
        #expect(try isEmpty)
    }
}
