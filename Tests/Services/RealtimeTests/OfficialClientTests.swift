import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

/// The official Python client. What it does is in `Tests/Python/realtime_stories.py`.
@Suite(
    .enabled(
        if: Python.hasPackages && TestDatabase.url != nil,
        "NO PYTHON CLIENT: .ci/setup test could not install realtime, or there is no PostgreSQL"
    ),
    .hangLimit
)
struct OfficialClientTests {
    @Test func `joins, broadcasts, is present and follows rows`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swiftlet-realtime-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestChanges.with { changes in
            let server = try await TestRealtime.start(databaseURL: changes.url, changes: changes.hub)
            let settings: JSONValue = [
                "url": .string("ws://127.0.0.1:\(server.port)/realtime/v1"),
                "token": .string(try TestRealtime.token()),
            ]
            async let playing = Python.run("realtime_stories.py", [settings.description], in: folder.path)
            let areThere = try await eventually(within: .seconds(120)) { changes.hub.counts.subscribers == 2 }
            #expect(areThere)
            try changes.execute(
                """
                INSERT INTO todos VALUES (1, 'a', 'hé'); UPDATE todos SET done = true; DELETE FROM todos;
                INSERT INTO todos VALUES (2, 'b', 'theirs');
                """
            )
            let output = try await playing
            await server.stop()
            #expect(output == ["ok broadcasts", "ok presence", "ok changes"], "\(output)")
        }
    }
}
