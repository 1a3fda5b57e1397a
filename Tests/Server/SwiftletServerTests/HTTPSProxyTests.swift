import Foundation
import SwiftletAuth
import SwiftletTesting
import Testing

/// The repository's Caddyfile, with an authority of Caddy's own. Two programs are started, which takes seconds.
@Suite(
    .needsDatabase,
    .hangLimit,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/caddy"), "install caddy"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "install curl")
)
final class HTTPSProxyTests: Sendable {
    private let folder: String

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `serves requests and channels, and says who the client is`() async throws {
        let environment = [
            "DATABASE_URL": try TestDatabase.create(), "JWT_SECRET": TestApplication.secret, "APPS": "none",
            "HOST": "127.0.0.1",
        ]
        let (server, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        let secure = try #require(unassignedPort())
        let proxy = Process()
        proxy.executableURL = URL(fileURLWithPath: "/usr/bin/caddy")
        proxy.arguments = ["run", "--config", Repository.root.appending(path: "Caddyfile").path]
        proxy.environment = [
            "DOMAIN": "https://localhost:\(secure)", "UPSTREAM": "127.0.0.1:\(port)", "HOME": folder,
            "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder,
        ]
        proxy.standardError = FileHandle.nullDevice
        try proxy.run()
        defer { kill(proxy.processIdentifier, SIGKILL) }
        let url = "https://localhost:\(secure)"
        let isServing = try await eventually(within: .seconds(60)) {
            try self.curl(["--head", "\(url)/health"]).contains("HTTP/2 200")
        }
        #expect(isServing)
        // By another version of HTTP, as browsers ask for it.
        let upgrade = try curl([
            "--http1.1", "--head", "--request", "GET", "--max-time", "2", "--header", "Connection: Upgrade", "--header",
            "Upgrade: websocket", "--header", "Sec-WebSocket-Version: 13", "--header",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "\(url)/realtime/v1/websocket?apikey=\(try key())&vsn=1.0.0",
        ])
        #expect(upgrade.contains(" 101 "), "\(upgrade)")
        _ = try curl(["--header", "X-Request-ID: by-the-proxy", "\(url)/rest/v1/nothing"])
        try await server.print(of: "by-the-proxy")
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
    }

    private func key() throws -> String {
        let payload = #"{"role":"anon","iat":1700000000,"exp":4000000000}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }

    private func curl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        let authority = "\(folder)/caddy/pki/authorities/local/root.crt"
        process.arguments = ["--silent", "--include", "--cacert", authority] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
