public import Foundation
public import SwiftletHTTP
import SwiftletJobs
import SwiftletMigrations
public import SwiftletPush
import SwiftletRest
import SwiftletSignIn
public import SwiftletWeb

/// An app's functions on a PostgreSQL of their own, called in process: everything is real except the socket.
/// Files are kept in a folder that ends with it.
///
///     try await TestBackend.with(functions: [notes]) { backend in
///         let ada = try TestBackend.token(tenant: "acme", user: "ada")
///         let made = try await backend.send(.post, "/notes", token: ada, #"{"title":"Read"}"#)
///         #expect(made.status == .created)
///     }
///
/// The server of databases is started from the installed PostgreSQL on first use and ends with the process; with
/// `SWIFTLET_TEST_DATABASE_URL`, that one is used instead.
public struct TestBackend: Sendable {
    private let current: @Sendable () -> TestApplication
    let server: TestServer?

    init(application: TestApplication) {
        current = { application }
        server = nil
    }

    /// Whatever runs on that server at the time.
    init(server: TestServer) {
        current = { server.application }
        self.server = server
    }

    var application: TestApplication { current() }

    /// Runs `body` on a new database with the server's migrations and those in the folder, which is by default
    /// `migrations` in the working directory, as for the server itself.
    ///
    /// `values` are what settings would bring, `push` delivers messages to devices (by default nobody does), and `now` is
    /// the time of day that handlers see as ``Context/now``; PostgreSQL's own clock stays as it is. Calls to other
    /// services go out as they would, unless the values have an ``HTTPOverride``.
    ///
    /// Rethrows the errors of `body`, and throws one that says what is missing if there is no PostgreSQL or no folder.
    public static func with(
        functions: [Function],
        migrations folder: String = "migrations",
        values: ContextValues = ContextValues(),
        push: PushSender? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        _ body: (TestBackend) async throws -> Void
    ) async throws {
        let url = try TestDatabase.createEmpty()
        let own = try TestDatabase.platformFiles()
        try Migrator(url: url, files: own + MigrationFolder(path: folder).load()).apply()
        try await TestApplication.with(
            functions,
            databaseURL: url,
            performsJobs: true,
            push: push,
            values: values,
            configure: { $0.clock = ServerClock(now: now) }
        ) {
            try await body(TestBackend(application: $0))
        }
    }

    /// A token that this backend accepts for an hour: of the user `user` of the tenant, with a role level from 1 to 8.
    public static func token(tenant: String, user: String, level: Int = 1) throws -> String {
        try TestApplication.token(tenant: tenant, user: user, level: level)
    }

    /// Sends a request with a JSON body, if any.
    public func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        token: String? = nil,
        _ body: String = ""
    ) async throws -> Response {
        try await application.send(method, target, token: token, body)
    }

    /// Sends a request with a body of any kind, such as a file.
    public func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        token: String? = nil,
        headers: [(Headers.Name, String)],
        body: [UInt8]
    ) async throws -> Response {
        try await application.send(method, target, token: token, body, headers: headers)
    }

    /// Waits until no job is left that is due within `horizon`: those under way, and those that are tried again. Throws
    /// ``JobsNotDone`` after half a minute.
    public func finishJobs(dueWithin horizon: Duration = .seconds(10)) async throws {
        let waiting = "swiftlet.jobs WHERE due <= now() + make_interval(secs => \(horizon.components.seconds))"
        let isDone = try await eventually(within: .seconds(30)) { try application.count(waiting) == 0 }
        guard isDone else { throw JobsNotDone(count: try application.count(waiting)) }
    }

    /// Jobs that were still waiting.
    public struct JobsNotDone: Error {
        public let count: Int
    }

    /// Runs SQL as the owner of the tables, for rows that no route makes. Throws what PostgreSQL says.
    public func execute(_ sql: String) throws {
        try application.execute(sql)
    }
}
