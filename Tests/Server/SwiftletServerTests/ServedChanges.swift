import Foundation
import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// A database whose changes the built server reads and tells, and the folder that its programs run in, until the test ends.
final class ServedChanges: Sendable {
    static let secret = "hunter2-hunter2-hunter2-hunter2-hunter2"

    let folder: String
    let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
        _ = try? ChangeDirectoryCleaner.clean(url)
    }

    var environment: [String: String] {
        [
            "DATABASE_URL": url, "JWT_SECRET": Self.secret, "HOST": "127.0.0.1", "LOG_FORMAT": "json",
            "SHUTDOWN_GRACE": "1s",
        ]
    }

    func run(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
        try await SwiftletProcess.run(arguments, in: folder, environment)
    }

    /// A server that reads the log. The first slot of a database waits for each transaction that was there before it.
    func serveReading(_ environment: [String: String]? = nil) async throws -> (process: SwiftletProcess, port: Int) {
        let served = try await SwiftletProcess.serveReady(in: folder, environment ?? self.environment)
        let connection = try BlockingConnection.connect(to: url)
        let isRead = try await eventually {
            try connection.query("SELECT 1 FROM swiftlet.change_stream WHERE floor_lsn IS NOT NULL").count == 1
        }
        try #require(isRead, "\(served.process.text)")
        return served
    }

    static func token(_ role: String = "service_role", sub: String? = nil) throws -> String {
        var claims: JSONObject = ["role": .string(role), "exp": 4_102_444_800]
        claims["sub"] = sub.map { .string($0) }
        return try TokenIssuer(secret: Secret(secret)).issue(payload: Array(JSONValue.object(claims).description.utf8))
    }
}
