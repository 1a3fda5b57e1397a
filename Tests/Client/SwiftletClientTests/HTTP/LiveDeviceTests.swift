import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import SwiftletTesting
import Testing

/// Devices and what they log, over HTTP.
@Suite(.needsDatabase, .hangLimit)
struct LiveDeviceTests {
    @Test func `a device registers itself, comes back, and sees its own logs only`() async throws {
        try await LiveServer.with { server in
            let store = InMemoryTokenStore()
            let client = server.client(tokens: store)
            let identity = DeviceIdentity(client: client, platform: "ios", model: "iPhone", appVersion: "1.0")
            let source = RESTPoopLogDataSource(client: client, identity: identity)
            let noon = Date(timeIntervalSince1970: 1_742_040_000)
            // Asked at once, it registers once.
            async let one = source.add(
                PoopLog(loggedAt: noon, duration: 120, rating: .great, notes: "Ah", flushFundsEarned: 5)
            )
            async let two = source.add(PoopLog(loggedAt: noon + 86_400, duration: 60, rating: .bad, consistency: 6))
            let logs = try await [one, two]
            #expect(try server.value("SELECT count(*) FROM devices") == "1")
            #expect(try await source.logs().map(\.id) == [logs[1].id, logs[0].id])
            #expect(try await source.logs(from: noon, to: noon).map(\.id) == [logs[0].id])

            var changed = logs[0]
            changed.notes = nil
            changed.rating = .okay
            #expect(try await source.update(changed) == changed)
            let stats = try await source.stats(from: nil, to: nil)
            #expect(stats.total == 2)
            #expect(stats.totalDurationSeconds == 180)
            #expect(stats.longestStreakDays == 2)
            #expect(stats.byRating["okay"] == 1)
            #expect(stats.byDay.map(\.date) == ["2025-03-15", "2025-03-16"])
            try await source.delete(logs[1].id)
            #expect(try await source.logs(from: nil, to: nil, page: 1, limit: 10).total == 1)
            await #expect(throws: PoopLogError.self) {
                try await source.add(PoopLog(loggedAt: noon, duration: 1, rating: .okay, consistency: 9))
            }

            // Its session ends for good; its secret opens another one.
            try server.execute("DELETE FROM auth.sessions")
            await AuthManager(client: client).logout()
            #expect(try await source.logs().map(\.id) == [logs[0].id])

            let other = server.client()
            let stranger = RESTPoopLogDataSource(client: other, identity: DeviceIdentity(client: other))
            #expect(try await stranger.logs().isEmpty)
            await #expect(throws: PoopLogError.notFound) { try await stranger.update(changed) }
            try await stranger.delete(changed.id)
            #expect(try await source.logs().count == 1)
        }
    }
}
