import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `swiftlet push send` against a server that answers as Apple's does.
@Suite(.needsDatabase, .enabled(if: Python.hasPackages, "run .ci/setup test"), .hangLimit)
final class PushCommandTests {
    private let folder: String
    private let server: PythonServer

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        server = try PythonServer.start("h2_server.py")
        try TestKeys.apple.write(toFile: "\(folder)/key.p8", atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func send(
        _ arguments: [String],
        _ more: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let environment = [
            "PUSH": "real", "APNS_KEY_FILE": "\(folder)/key.p8", "APNS_KEY_ID": "KEY1234567",
            "APNS_TEAM_ID": "TEAM123456", "APNS_TOPIC": "com.example.shop",
            "APNS_URL": "https://localhost:\(server.port("h2"))", "OUTBOUND_CA_FILE": server.certificateFile,
        ]
        let all = ["push", "send", "--title", "Hello", "--body", "Hi"] + arguments
        return try await SwiftletProcess.run(all, in: folder, environment.merging(more) { $1 })
    }

    @Test func `sends to a token, or to all devices of a user, and says what the service answers`() async throws {
        let one = try await send(["--token", "00fc13ad00fc13ad", "--data", "screen=inbox"])
        #expect(one.status == 0, "\(one.output) \(one.errors)")
        #expect(one.output == "ios 00fc13ad00fc…: accepted\n", "\(one.output) \(one.errors)")
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO push_tokens (token, user_id, platform, environment, app) VALUES
                ('aa11', 'ada', 'ios', 'sandbox', 'com.example.shop'), ('bb22', 'bob', 'ios', 'sandbox', 'x'),
                ('cafe', 'ada', 'android', 'production', 'com.example.shop')
            """
        )
        let all = try await send(["--user", "ada"], ["DATABASE_URL": url])
        #expect(all.status == 0, "\(all.errors)")
        #expect(all.output.contains("ios aa11…: accepted"))
        #expect(all.output.contains("android cafe…: refused: FCM is not configured, see FCM_SERVICE_ACCOUNT_FILE"))
        #expect(!all.output.contains("bb22"))
        let nobody = try await send(["--user", "nobody"], ["DATABASE_URL": url])
        #expect(nobody.status == 1)
        #expect(nobody.errors.contains("the user has no device"))
    }

    @Test func `ends with 1 when nobody takes it, and says what is missing`() async throws {
        let bad = try await send(["--token", "no token of Apple's"])
        #expect(bad.status == 1)
        #expect(bad.output.contains("not registered any more: the token is none of Apple's"))
        let off = try await send(["--token", "00fc"], ["PUSH": "off"])
        #expect(off.status == 1)
        #expect(off.errors.contains("PUSH is off: set PUSH=real"))
        #expect(try await send([]).status == 64)
        #expect(try await send(["--token", "00fc", "--data", "nothing"]).status == 64)
    }
}
