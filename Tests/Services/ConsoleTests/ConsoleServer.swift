import SwiftletConsole
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

/// A console over a new database with the server's migrations, called in process.
struct ConsoleServer {
    let application: TestApplication
    let database: Database

    static func with(
        sql: String = "",
        _ change: (inout ConsoleSettings) -> Void = { _ in },
        _ body: (ConsoleServer) async throws -> Void
    ) async throws {
        let url = try TestDatabase.create()
        let group = try EventLoopGroup.start(count: 1)
        var settings = ConsoleSettings()
        change(&settings)
        let databases = (0..<2).map { _ in database(url, group) }
        for database in databases { database.start() }
        let console = Console(database: databases[0], statements: databases[1], settings: settings)
        let application = try await TestApplication.start([console.function], sql: sql, databaseURL: url)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(ConsoleServer(application: application, database: databases[0])))
        } catch {
            result = .failure(error)
        }
        await application.stop()
        for database in databases { await database.shutdown() }
        group.stop()
        try result.get()
    }

    /// A busy machine takes its time to connect.
    private static func database(_ url: String, _ group: EventLoopGroup) -> Database {
        var configuration = DatabaseConfiguration(url: url, connections: 6)
        configuration.isPrepared = false
        configuration.waitTimeout = .seconds(20)
        configuration.connectTimeout = .seconds(20)
        configuration.outageGrace = .seconds(20)
        return Database(configuration: configuration, group: group) { _ in }
    }

    /// A session as it is after entering by a link.
    func enter(_ role: Operator.Role = .owner) async throws -> Session {
        let token = try link(role)
        let response = try await send(.post, "enter", #"{"token":"\#(token)"}"#)
        #expect(response.status == .ok, "\(response.text)")
        return Session(server: self, cookie: try #require(Self.cookie(of: response)))
    }

    /// The secret part of a link.
    func link(_ role: Operator.Role = .owner) throws -> String {
        let entry = try ConsoleEntry.make(role: role)
        let connection = try BlockingConnection.connect(to: application.databaseURL)
        _ = try connection.query(ConsoleEntry.insertion, entry.parameters)
        return entry.token
    }

    /// As the console's own page sends it, unless headers are given.
    func send(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        cookie: String? = nil,
        headers: [(Headers.Name, String)]? = nil
    ) async throws -> Response {
        var fields: [(Headers.Name, String)] =
            headers ?? [
                (.host, "localhost:8000"), (.origin, "http://localhost:8000"), ("X-Console", "1"),
                ("Sec-Fetch-Site", "same-origin"),
            ]
        if let cookie { fields.append(("Cookie", cookie)) }
        return try await application.send(method, "/console/api/\(path)", body, headers: fields)
    }

    static func cookie(of response: Response) -> String? {
        response.headers["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
    }

    struct Session {
        let server: ConsoleServer
        let cookie: String

        func response(_ method: SwiftletHTTP.Method, _ path: String, _ body: String = "") async throws -> Response {
            try await server.send(method, path, body, cookie: cookie)
        }

        /// The answer's JSON; `status` is what it must have.
        func ask(
            _ method: SwiftletHTTP.Method,
            _ path: String,
            _ body: String = "",
            status: Status = .ok
        ) async throws -> JSONValue {
            let response = try await response(method, path, body)
            #expect(response.status == status, "\(path): \(response.text)")
            return try JSONParser.parse(response.body)
        }

        func post(_ path: String, _ body: JSONValue, status: Status = .ok) async throws -> JSONValue {
            try await ask(.post, path, body.description, status: status)
        }
    }
}
