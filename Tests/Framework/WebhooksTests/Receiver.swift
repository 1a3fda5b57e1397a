import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb

@testable import SwiftletWebhooks

/// A real server that takes what is posted, and an application that posts to it.
struct Receiver: Sendable {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    let application: TestApplication
    let server: PythonServer
    private let http: HTTPEngine

    struct Posted {
        let body: JSONValue
        let text: String
        let headers: JSONValue

        var signature: String? { headers["webhook-signature"]?.string }
    }

    static func with(
        _ functions: [Function] = [],
        sql: String = "",
        settings: WebhookSettings = .local,
        refusesPrivate: Bool = false,
        _ body: (Receiver) async throws -> Void
    ) async throws {
        let server = try PythonServer.start("web_server.py")
        let group = try EventLoopGroup.start(count: 1)
        let refusing = HTTPEngine(group.loops)
        defer { group.stop() }
        let application = try await TestApplication.start(sql: sql) { parts in
            functions + [WebhookSender(refusesPrivate ? refusing : parts.http, settings).function]
        }
        application.startJobs()
        var calls = HTTPEngine.Settings()
        calls.allowsPrivateAddresses = true
        let http = HTTPEngine(application.group.loops, calls)
        let receiver = Receiver(application: application, server: server, http: http)
        do {
            try await body(receiver)
        } catch {
            await http.shutdown()
            await refusing.shutdown()
            await application.stop()
            throw error
        }
        await http.shutdown()
        await refusing.shutdown()
        await application.stop()
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(server.port("http"))\(path)" }

    /// From now on the path answers so.
    func answer(_ path: String, _ status: Int, _ body: String = "", delay: String? = nil) async throws {
        let delay = delay.map { "&delay=\($0)" } ?? ""
        let url = url("/__put?path=\(path)&status=\(status)\(delay)")
        _ = try await http.send(HTTPRequest("POST", url, body: Array(body.utf8)))
    }

    func count(_ path: String) async throws -> Int {
        Int(try await http.send(HTTPRequest("GET", url("/__count?path=\(path)"))).text) ?? -1
    }

    /// What was last posted there; nil for nothing.
    func last(_ path: String) async throws -> Posted? {
        let value = try JSONParser.parse(try await http.send(HTTPRequest("GET", url("/__last?path=\(path)"))).body)
        guard let text = value["body"]?.string, let headers = value["headers"] else { return nil }
        return Posted(body: try JSONParser.parse(Array(text.utf8)), text: text, headers: headers)
    }

    func add(
        _ path: String,
        tables: [String] = [],
        operations: [String] = WebhookDirectory.operations,
        events: [String] = [],
        tenant: String? = nil
    ) throws -> Int {
        let new = try NewWebhook(
            url(path),
            secret: Self.secret,
            tables: tables,
            operations: operations,
            events: events,
            tenant: tenant
        )
        return try WebhookDirectory(application.databaseURL).add(new) ?? 0
    }

    func value(_ sql: String) throws -> String? {
        try BlockingConnection.connect(to: application.databaseURL).query(sql).first?[0]
    }

    func waits(for state: String, _ count: Int = 1) async throws -> Bool {
        try await eventually { try application.count("swiftlet.webhook_deliveries WHERE state = '\(state)'") == count }
    }

    /// Lets the next attempts begin now.
    func hurry() throws {
        try application.execute(
            "UPDATE swiftlet.jobs SET due = clock_timestamp() WHERE worker IS NULL AND name = 'swiftlet-webhook'; NOTIFY swiftlet_jobs"
        )
    }
}

extension WebhookSettings {
    static var local: WebhookSettings {
        var settings = WebhookSettings()
        settings.allowsPrivateAddresses = true
        return settings
    }
}
