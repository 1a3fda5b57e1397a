package import SwiftletAuth
import SwiftletCalls
package import SwiftletEventLoop
import Foundation
public import SwiftletHTTP
package import SwiftletJSON
package import SwiftletJobs
package import Logging
package import SwiftletOutbound
package import SwiftletPostgres
package import SwiftletPush
package import SwiftletStorage
import Synchronization
package import SwiftletWeb

/// An application with its own database, called in process: everything is real except the socket.
package struct TestApplication: Sendable {
    package static let secret = "a-secret-for-tests-of-at-least-32-bytes"

    package let application: Application
    let functions: [Function]
    package let database: Database
    package let databaseURL: String
    /// Where files are, unless the test has its own storage. It ends with the application.
    package let filesFolder: String
    /// Performs the jobs that the functions declare, if it runs: see ``startJobs()``.
    package let worker: JobWorker
    private let jobs = JobsTask()
    /// The loops that the database is used on.
    package let group: EventLoopGroup
    /// The standbys that take reads, if there are any. Tests ask them how far they are: nothing else does.
    package let replicas: ReplicaSet?
    private let http: HTTPEngine

    /// Runs `sql` after the migrations. `databaseURL` selects an existing database instead of a new one.
    package static func start(
        _ functions: [Function],
        sql: String = "",
        databaseURL: String? = nil,
        cors: CORSPolicy = CORSPolicy(origins: ["https://app.example"]),
        requestLog: RequestLog? = nil,
        logger: Logger = silent
    ) async throws -> TestApplication {
        try await start(sql: sql, databaseURL: databaseURL, cors: cors, requestLog: requestLog, logger: logger) { _ in
            functions
        }
    }

    /// Starts an application for the length of `body`, which may throw. One that `isCold` begins as a server does: its
    /// database is neither connected nor read.
    package static func with(
        _ functions: [Function],
        sql: String = "",
        databaseURL: String? = nil,
        logger: Logger = silent,
        isCold: Bool = false,
        storage: ObjectStorage? = nil,
        performsJobs: Bool = false,
        jobs: JobSettings = JobSettings(),
        push: PushSender? = nil,
        values: ContextValues = ContextValues(),
        replicaURLs: [String] = [],
        configure: (inout ApplicationConfiguration) -> Void = { _ in },
        _ body: (TestApplication) async throws -> Void
    ) async throws {
        let application = try await start(
            sql: sql,
            databaseURL: databaseURL,
            logger: logger,
            isCold: isCold,
            storage: storage,
            jobs: jobs,
            push: push,
            values: values,
            replicaURLs: replicaURLs,
            configure: configure
        ) { _ in
            functions
        }
        if performsJobs { application.startJobs() }
        do {
            try await body(application)
        } catch {
            await application.stop()
            throw error
        }
        await application.stop()
    }

    /// What functions may be made of.
    package struct Parts: Sendable {
        package let database: Database
        package let verifier: TokenVerifier
        package let http: HTTPEngine
        /// Tells the worker that a job waits.
        package let announceWork: @Sendable () -> Void
    }

    /// The same as ``start`` for functions that need parts of the server.
    package static func start(
        sql: String = "",
        databaseURL: String? = nil,
        cors: CORSPolicy = CORSPolicy(origins: ["https://app.example"]),
        requestLog: RequestLog? = nil,
        logger: Logger = silent,
        isCold: Bool = false,
        storage: ObjectStorage? = nil,
        jobs: JobSettings = JobSettings(),
        push: PushSender? = nil,
        values: ContextValues = ContextValues(),
        replicaURLs: [String] = [],
        configure: (inout ApplicationConfiguration) -> Void = { _ in },
        functions: (Parts) throws -> [Function]
    ) async throws -> TestApplication {
        let url = try databaseURL ?? TestDatabase.create()
        if !sql.isEmpty { try BlockingConnection.connect(to: url).execute(sql) }
        let group = try EventLoopGroup.start(count: 1)
        let database = Database(
            configuration: patientConfiguration(url),
            group: group,
            onEvent: { _ in }
        )
        database.start()
        if !isCold { try await warm(database) }
        let verifier = try TokenVerifier(secret: Secret(secret), clock: { Date().timeIntervalSince1970 })
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-files-\(UUID().uuidString)"
        var configuration = ApplicationConfiguration(
            database: database,
            verifier: verifier,
            logger: logger,
            cors: cors,
            requestLog: requestLog
        )
        // Other services are on this machine.
        var calls = HTTPEngine.Settings()
        calls.allowsPrivateAddresses = true
        let http = HTTPEngine(group.loops, calls)
        let announcement = Announcement()
        let replicas =
            replicaURLs.isEmpty
            ? nil : ReplicaSet(replicaURLs.map(patientConfiguration), of: database, group: group) { _ in }
        configuration.replicas = try replicas.map { try ReplicaReads($0, secret: Secret(secret)) }
        configuration.values = values
        configuration.values[HTTPKey.self] = http
        if let push { configuration.values[PushKey.self] = push }
        configuration.values[StorageKey.self] = storage ?? ObjectStorage(LocalFolder(path: folder))
        configuration.values[WorkAnnouncementKey.self] = { announcement.send() }
        configure(&configuration)
        let functions = try functions(
            Parts(database: database, verifier: verifier, http: http, announceWork: { announcement.send() })
        )
        let worker = JobWorker(try JobRegistry(functions), jobs, database: database, on: group.loops, logger: logger)
        announcement.worker.withLock { $0 = worker }
        let application = try Application(functions: functions, configuration)
        return TestApplication(
            application: application,
            functions: functions,
            database: database,
            databaseURL: url,
            filesFolder: folder,
            worker: worker,
            group: group,
            replicas: replicas,
            http: http
        )
    }

    /// A busy machine may take longer than people would wait.
    private static func patientConfiguration(_ url: String) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration(url: url, connections: 2)
        // Tests ask for much that does not exist.
        configuration.catalogInterval = .milliseconds(10)
        configuration.lockTimeout = .seconds(15)
        configuration.waitTimeout = .seconds(20)
        configuration.silenceLimit = .seconds(20)
        configuration.connectTimeout = .seconds(20)
        return configuration
    }

    private static func warm(_ database: Database) async throws {
        // A busy machine may take longer to connect than queries wait for it.
        var attempts = 0
        while await !database.ping(), attempts < 100 {
            attempts += 1
            try await Task.sleep(for: .milliseconds(50))
        }
        try await database.reloadSchema()
    }

    package static var silent: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// Responds on an event loop, like the server. Cancelling the task stands for a client that disconnects.
    package func send(_ request: Request) async -> Response {
        let application = application
        let answer = Task(executorPreference: group.loops[0]) {
            let response = await application.respond(to: request)
            // A stream that breaks off ends the connection.
            return (try? await response.collected()) ?? Response(status: .badGateway)
        }
        return await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
    }

    package func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        token: String? = nil,
        _ body: String = "",
        headers: [(Headers.Name, String)] = []
    ) async throws -> Response {
        try await send(method, target, token: token, Array(body.utf8), headers: headers)
    }

    package func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        token: String? = nil,
        _ body: [UInt8],
        headers: [(Headers.Name, String)] = []
    ) async throws -> Response {
        var fields = Headers()
        for (name, value) in headers {
            fields.append(name, value)
        }
        if let token { fields.append(.authorization, "Bearer \(token)") }
        let request = try Request(method: method, target: target, headers: fields, body: body)
        return await send(request)
    }

    /// A token that is valid for this application.
    package static func token(
        tenant: String,
        user: String,
        level: Int = 1,
        isPlatformUser: Bool = false
    ) throws -> String {
        guard let tenant = TenantID(rawValue: tenant) else { throw TokenError.invalidClaims }
        var claims = UserClaims(userID: user, tenant: tenant)
        claims.roleLevel = level
        claims.isPlatformUser = isPlatformUser
        let now = Int(Date().timeIntervalSince1970)
        let payload = claims.payload(issuedAt: now, expiresAt: now + 3600)
        return try TokenIssuer(secret: Secret(secret)).issue(payload: payload)
    }

    /// A token of this application with any claims, such as one without a tenant. It is valid for an hour.
    package static func token(claims: JSONObject) throws -> String {
        var claims = claims
        claims["exp"] = JSONValue.number(JSONNumber(Int(Date().timeIntervalSince1970) + 3600))
        return try TokenIssuer(secret: Secret(secret)).issue(payload: Array(JSONValue.object(claims).description.utf8))
    }

    package func execute(_ sql: String) throws {
        try BlockingConnection.connect(to: databaseURL).execute(sql)
    }

    /// How many rows `rest` finds: `count("deals WHERE status = 'won'")`.
    package func count(_ rest: String) throws -> Int {
        let rows = try BlockingConnection.connect(to: databaseURL).query("SELECT count(*) FROM \(rest)")
        return rows.first?[0].flatMap { Int($0) } ?? -1
    }

    /// Performs jobs until ``stop()``.
    package func startJobs() {
        let (application, worker) = (application, worker)
        jobs.task.withLock { $0 = Task { await worker.run { application.backgroundContext($0) } } }
    }

    /// Stops performing jobs as a server that gets SIGTERM does.
    package func stopJobs(within grace: Duration = .seconds(5)) async {
        worker.stop(within: grace)
        await jobs.task.withLock(\.self)?.value
    }

    package func stop() async {
        await stopJobs(within: .zero)
        await http.shutdown()
        await replicas?.shutdown()
        await database.shutdown()
        group.stop()
        try? FileManager.default.removeItem(atPath: filesFolder)
    }

    /// The paths of all files in ``filesFolder``, unfinished ones too.
    package var files: [String] {
        FileManager.default.enumerator(atPath: filesFolder)?.compactMap { path in
            guard let path = path as? String else { return nil }
            var isFolder: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: "\(filesFolder)/\(path)", isDirectory: &isFolder)
            return exists && !isFolder.boolValue ? path : nil
        } ?? []
    }
}

extension Response {
    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }
}

private final class JobsTask: Sendable {
    let task = Mutex<Task<Void, Never>?>(nil)
}

/// Of work, to a worker that is only made after those who announce it.
private final class Announcement: Sendable {
    let worker = Mutex<JobWorker?>(nil)

    func send() { worker.withLock(\.self)?.announce() }
}
