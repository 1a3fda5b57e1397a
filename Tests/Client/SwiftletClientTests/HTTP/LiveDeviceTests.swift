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
            async let none = source.fetchLogs(from: noon, to: noon)
            async let sums = source.fetchStats()
            #expect(try await none.isEmpty)
            #expect(try await sums.total == 0)
            #expect(try server.value("SELECT count(*) FROM devices") == "1")
            let device = try #require(await identity.deviceID)
            let first = try await source.createLog(
                PoopLog(loggedAt: noon, duration: 120, rating: .great, notes: "Ah", flushFundsEarned: 5),
                deviceId: device
            )
            let second = try await source.createLog(
                PoopLog(loggedAt: noon + 86_400, duration: 60, rating: .bad, consistency: 6),
                deviceId: device
            )
            #expect(try await source.fetchLogs(for: device).map(\.id) == [second.id, first.id])
            #expect(try await source.fetchLogs(for: device, limit: 1, offset: 1) == [first])
            #expect(try await source.fetchLogs(from: noon, to: noon) == [first])
            #expect(try await source.fetchLog(id: second.id, deviceId: device) == second)

            var changed = first
            changed.notes = nil
            changed.rating = .okay
            #expect(try await source.updateLog(changed, deviceId: device) == changed)
            let stats = try await source.fetchStats()
            #expect(stats.total == 2)
            #expect(stats.totalDurationSeconds == 180)
            #expect(stats.longestStreakDays == 2)
            #expect(stats.byRating["okay"] == 1)
            #expect(stats.byDay.map(\.date) == ["2025-03-15", "2025-03-16"])
            try await source.deleteLog(id: second.id, deviceId: device)
            #expect(try await source.getTotalLogs(for: device) == 1)
            await #expect(throws: PoopLogError.notFound) {
                try await source.fetchLog(id: second.id, deviceId: device)
            }
            await #expect(throws: PoopLogError.self) {
                try await source.createLog(
                    PoopLog(loggedAt: noon, duration: 1, rating: .okay, consistency: 9),
                    deviceId: device
                )
            }
            await #expect(throws: PoopLogError.invalid(["deviceId": "is not this device's"])) {
                try await source.fetchLogs(for: UUID())
            }

            // Its session ends for good; its secret opens another one.
            try server.execute("DELETE FROM auth.sessions")
            await AuthManager(client: client).logout()
            #expect(try await source.fetchLogs(for: device).map(\.id) == [first.id])

            let other = server.client()
            let strange = DeviceIdentity(client: other)
            let stranger = RESTPoopLogDataSource(client: other, identity: strange)
            #expect(try await stranger.fetchLogs(from: .distantPast, to: .distantFuture).isEmpty)
            let strangeID = try #require(await strange.deviceID)
            await #expect(throws: PoopLogError.notFound) {
                try await stranger.updateLog(changed, deviceId: strangeID)
            }
            try await stranger.deleteLog(id: changed.id, deviceId: strangeID)
            #expect(try await source.getTotalLogs(for: device) == 1)
        }
    }
}
