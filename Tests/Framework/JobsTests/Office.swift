import SwiftletAuth
import SwiftletHTTP
import SwiftletJobs
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import SwiftletWeb

/// What jobs have done, in order.
final class Diary: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock(\.self) }

    @discardableResult
    func write(_ line: String) -> Int {
        lines.withLock {
            $0.append(line)
            return $0.count
        }
    }

    func count(_ line: String) -> Int { all.count { $0 == line } }
}

struct Note: Codable, Sendable, Equatable {
    var text: String
}

/// Applications whose routes enqueue jobs, on a database with a table for what the jobs write.
enum Office {
    static let table = "CREATE TABLE marks (id bigint GENERATED ALWAYS AS IDENTITY, text text NOT NULL)"

    static func with(
        _ functions: [Function],
        performsJobs: Bool = true,
        jobs: JobSettings = JobSettings(),
        databaseURL: String? = nil,
        _ body: (TestApplication) async throws -> Void
    ) async throws {
        try await TestApplication.with(
            functions,
            sql: databaseURL == nil ? table : "",
            databaseURL: databaseURL,
            performsJobs: performsJobs,
            jobs: jobs,
            body
        )
    }

    static func token(user: String = "ada", tenant: String = "acme") throws -> String {
        try TestApplication.token(tenant: tenant, user: user)
    }
}

extension TestApplication {
    func count(_ rest: String) throws -> Int {
        let rows = try BlockingConnection.connect(to: databaseURL).query("SELECT count(*) FROM \(rest)")
        return rows.first?[0].flatMap { Int($0) } ?? -1
    }

    func value(_ sql: String) throws -> String? {
        try BlockingConnection.connect(to: databaseURL).query(sql).first?[0]
    }

    func post(_ path: String, user: String = "ada", tenant: String = "acme", _ body: String = "") async throws -> Status
    {
        try await send(.post, path, token: Office.token(user: user, tenant: tenant), body).status
    }
}
