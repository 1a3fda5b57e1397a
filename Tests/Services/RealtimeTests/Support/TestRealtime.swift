import Foundation
import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb

@testable import SwiftletRealtime

/// A server of `/realtime/v1` on two loops, behind real sockets.
final class TestRealtime: Sendable {
    let realtime: Realtime
    let application: Application
    let server: HTTPServer
    let database: Database
    let databaseURL: String
    private let group: EventLoopGroup
    private let background: Task<Void, Never>

    var port: Int { server.localPort }

    /// `databaseURL` selects an existing database instead of a new one.
    static func start(
        databaseURL: String? = nil,
        sql: String = "",
        changes: (any ChangeFeed)? = nil,
        _ configure: (inout RealtimeSettings) -> Void = { _ in }
    ) async throws -> TestRealtime {
        let url = try databaseURL ?? TestDatabase.create()
        if !sql.isEmpty { try BlockingConnection.connect(to: url).execute(sql) }
        let group = try EventLoopGroup.start(count: 2)
        var connecting = DatabaseConfiguration(url: url, connections: 4)
        connecting.connectTimeout = .seconds(20)
        connecting.waitTimeout = .seconds(20)
        let database = Database(configuration: connecting, group: group, onEvent: { _ in })
        database.start()
        var attempts = 0
        while await !database.ping(), attempts < 100 {
            attempts += 1
            try await Task.sleep(for: .milliseconds(50))
        }
        let clock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
        let verifier = try TokenVerifier(secret: Secret(TestApplication.secret), clock: clock)
        var settings = RealtimeSettings()
        settings.refusalDelay = .milliseconds(10)
        configure(&settings)
        let realtime = Realtime(
            database: database,
            authentication: Authentication(verifier: verifier),
            loops: group.loops,
            settings: settings,
            changes: changes,
            logger: TestApplication.silent,
            clock: clock
        )
        let application = try Application(
            functions: [realtime.function],
            ApplicationConfiguration(database: database, verifier: verifier, logger: TestApplication.silent)
        )
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.lingerTimeout = .milliseconds(200)
        let handler = HTTPHandler(
            respond: { await application.respond(to: $0) },
            refuse: { Response(status: $0.status) }
        )
        let before = listeners(url)
        let server = try HTTPServer.start(configuration, on: group, handler: handler)
        let started = TestRealtime(realtime, application, server, database, url, group)
        // Nothing is missed from here on.
        while listeners(url) == before { try await Task.sleep(for: .milliseconds(5)) }
        return started
    }

    /// How many servers on the database hear what it sends.
    private static func listeners(_ url: String) -> Int {
        let sql = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN "swiftlet_m%'
            """
        let rows = try? BlockingConnection.connect(to: url).query(sql)
        return rows?.first?[0].flatMap { Int($0) } ?? 0
    }

    private init(
        _ realtime: Realtime,
        _ application: Application,
        _ server: HTTPServer,
        _ database: Database,
        _ databaseURL: String,
        _ group: EventLoopGroup
    ) {
        self.realtime = realtime
        self.application = application
        self.server = server
        self.database = database
        self.databaseURL = databaseURL
        self.group = group
        background = Task { await realtime.run() }
    }

    /// Ends what talks to other servers, without a word to them.
    func crash() { background.cancel() }

    func execute(_ sql: String) throws { try BlockingConnection.connect(to: databaseURL).execute(sql) }

    /// The first column.
    func rows(_ sql: String) throws -> [String?] {
        try BlockingConnection.connect(to: databaseURL).query(sql).map { $0[0] }
    }

    func stop() async {
        await realtime.sayGoodbye()
        background.cancel()
        await background.value
        await server.shutdown(grace: .milliseconds(50))
        await database.shutdown()
        group.stop()
    }

    /// A client with the key of anonymous callers, or that token.
    func client(_ version: String = "1.0.0", token: String? = nil) throws -> PhoenixClient {
        try PhoenixClient(port: port, version: version, token: token ?? Self.token())
    }

    /// Valid for an hour, unless the claims say otherwise.
    static func token(_ claims: JSONObject = ["role": "anon"]) throws -> String {
        var claims = claims
        if claims["exp"] == nil {
            claims["exp"] = JSONValue.number(JSONNumber(Int(Date().timeIntervalSince1970) + 3600))
        }
        let payload = Array(JSONValue.object(claims).description.utf8)
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: payload)
    }

    /// Sends JSON to the server, and returns its answer.
    func post(
        _ path: String,
        _ body: String,
        token: String? = nil,
        type: String = "application/json"
    ) throws
        -> SocketClient.Reply
    {
        let client = try SocketClient(port: port)
        let token = try token ?? Self.token()
        let head = """
            POST \(path) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(token)\r
            Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n
            """
        try client.send(head + body)
        return try client.reply()
    }
}

/// Starts a server, runs the body on a thread that may block, and stops the server.
func withRealtime(
    sql: String = "",
    changes: (any ChangeFeed)? = nil,
    _ configure: (inout RealtimeSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (TestRealtime) throws -> Void
) async throws {
    let realtime = try await TestRealtime.start(sql: sql, changes: changes, configure)
    let result = await blocking { Result { try body(realtime) } }
    await realtime.stop()
    try result.get()
}
