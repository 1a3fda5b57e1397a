import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

/// The official Python client. What it does is in `Tests/Python/realtime_stories.py`.
@Suite(
    .enabled(
        if: Python.hasPackages && TestDatabase.url != nil,
        "NO PYTHON CLIENT: .ci/setup test could not install realtime, or there is no PostgreSQL"
    ),
    .hangLimit
)
struct OfficialClientTests {
    @Test func `broadcasts and is present`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swiftlet-realtime-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await TestRealtime.start()
        let settings: JSONValue = [
            "url": .string("ws://127.0.0.1:\(server.port)/realtime/v1"), "token": .string(try TestRealtime.token()),
        ]
        let output = try await Python.run("realtime_stories.py", [settings.description], in: folder.path)
        await server.stop()
        #expect(output.count { $0.hasPrefix("ok ") } == 2, "\(output)")
    }
}
