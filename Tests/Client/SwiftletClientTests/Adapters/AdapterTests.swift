import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import CheckInsClientMocks
import DeviceLogsClientMocks
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The adapters against recorded answers, in the forms of the functions' documentation.
@Suite struct AdapterTests {
    /// Gives a first token, and another one when that is refused.
    private struct Tokens: AuthProvider {
        func idToken() async throws -> String { "old" }
        func idToken(after refused: String) async throws -> String { "new" }
    }

    private static let moment = Date(timeIntervalSince1970: 1_742_060_675)

    private func functions(_ transport: RecordedTransport) -> FunctionsAdapter {
        var retry = RetryPolicy()
        retry.sleep = { _ in }
        return FunctionsAdapter(
            url: Clients.url("https://f.example/v1/"),
            auth: Tokens(),
            retry: retry,
            transport: transport
        )
    }

    @Test func `a function is called by its name, as the user, in camelCase`() async throws {
        let answer = #"{"success":true,"messageId":"m1","scheduledFor":"2025-03-15T17:44:35Z"}"#
        let transport = RecordedTransport([.json("{}", status: 401), .json(answer)])
        let client: any NotificationClient = NotificationAdapter(functions: functions(transport))
        let message = PushNotification(userId: "u2", title: "Hi", body: "There", data: ["screen": "home"])
        let scheduled = try await client.schedule(message, at: Self.moment)
        #expect(scheduled == ScheduledNotification(messageId: "m1", scheduledFor: Self.moment))
        let requests = await transport.requests
        #expect(requests.map(\.bearer) == ["Bearer old", "Bearer new"])
        #expect(requests[1].url?.absoluteString == "https://f.example/v1/schedule-notification")
        let body = requests[1].json
        #expect(body["userId"] as? String == "u2")
        #expect(body["deliveryTime"] as? String == "2025-03-15T17:44:35Z")
        #expect(body["data"] as? [String: String] == ["screen": "home"])
        #expect(body["title"] as? String == "Hi")
    }

    @Test func `messages are sent and cancelled, and refusals have names`() async throws {
        let message = PushNotification(userId: "u2", title: "Hi", body: "There")
        let sent = RecordedTransport([.json(#"{"success":true,"messageId":"m1","sentAt":"2025-03-15T17:44:35Z"}"#)])
        #expect(try await NotificationAdapter(functions: functions(sent)).send(message).sentAt == Self.moment)
        let cancelled = RecordedTransport([.json(#"{"success":true}"#)])
        try await NotificationAdapter(functions: functions(cancelled)).cancel(messageID: "m1")
        #expect(await cancelled.requests.first?.json as? [String: String] == ["messageId": "m1"])
        let refusals: [(RecordedTransport.Answer, NotificationError)] = [
            (.status(401), .notSignedIn), (.status(404), .recipientNotFound),
            (.json(#"{"details":{"title":"is required"}}"#, status: 400), .invalid(["title": "is required"])),
            (.status(429, headers: ["Retry-After": "9"]), .tooMany(retryAfter: 9)),
            (.status(500), .failed(.server(requestID: nil))),
        ]
        for (answer, error) in refusals {
            let transport = RecordedTransport([answer])
            await #expect(throws: error) {
                try await NotificationAdapter(functions: functions(transport)).send(message)
            }
            #expect(error.errorDescription?.isEmpty == false)
        }
        let gone = RecordedTransport([.status(404)])
        await #expect(throws: NotificationError.messageNotFound) {
            try await NotificationAdapter(functions: functions(gone)).cancel(messageID: "m1")
        }
    }

    @Test func `check-ins`() async throws {
        let done =
            #"{"success":true,"lastCheckInTime":"2025-03-15T17:44:35Z","nextCheckInTime":"2025-03-15T18:44:35Z"}"#
        let transport = RecordedTransport([.failure(URLError(.networkConnectionLost)), .json(done)])
        let checkIn = try await CheckInAdapter(functions: functions(transport)).checkIn(nextCheckInInterval: 3600)
        #expect(checkIn == CheckIn(lastCheckInTime: Self.moment, nextCheckInTime: Self.moment + 3600))
        #expect(await transport.requests.last?.json["nextCheckInInterval"] as? Double == 3600)
        let never = #"{"lastCheckInTime":null,"nextCheckInTime":null,"status":"inactive","interval":86400}"#
        let status = try await CheckInAdapter(functions: functions(RecordedTransport([.json(never)]))).status()
        #expect(status.status == .inactive)
        #expect(status.lastCheckInTime == nil)
        #expect(status.interval == 86_400)
        let odd = RecordedTransport([.json(#"{"status":"dancing","interval":60.5}"#)])
        #expect(try await CheckInAdapter(functions: functions(odd)).status().status == .unknown)
        let refused = RecordedTransport([.json(#"{"details":{"nextCheckInInterval":"is too short"}}"#, status: 400)])
        await #expect(throws: CheckInError.invalidInterval) {
            try await CheckInAdapter(functions: functions(refused)).checkIn(nextCheckInInterval: 1)
        }
    }

    @Test func `alerts`() async throws {
        let alert = #"{"alertId":"a1","activatedAt":"2025-03-15T17:44:35Z","status":"active"}"#
        let expected = ActiveAlert(alertId: "a1", activatedAt: Self.moment)
        #expect(try await AlertAdapter(functions: functions(RecordedTransport([.json(alert)]))).trigger() == expected)
        #expect(try await AlertAdapter(functions: functions(RecordedTransport([.json(alert)]))).active() == expected)
        #expect(try await AlertAdapter(functions: functions(RecordedTransport([.json("null")]))).active() == nil)
        try await AlertAdapter(functions: functions(RecordedTransport([.json(#"{"success":true}"#)]))).cancel(
            alertID: "a1"
        )
        let twice = #"{"code":"ALERT_ALREADY_ACTIVE","details":{"alertId":"a1"}}"#
        await #expect(throws: AlertError.alreadyActive(alertID: "a1")) {
            try await AlertAdapter(functions: functions(RecordedTransport([.json(twice, status: 409)]))).trigger()
        }
        await #expect(throws: AlertError.notActive) {
            let ended = RecordedTransport([.json(#"{"code":"ALERT_NOT_ACTIVE"}"#, status: 409)])
            try await AlertAdapter(functions: functions(ended)).cancel(alertID: "a1")
        }
        await #expect(throws: AlertError.notFound) {
            try await AlertAdapter(functions: functions(RecordedTransport([.status(404)]))).cancel(alertID: "a1")
        }
    }

    @Test func `the mocks behave like the server`() async throws {
        let alerts = MockAlertClient()
        let alert = try await alerts.trigger()
        await #expect(throws: AlertError.alreadyActive(alertID: alert.alertId)) { try await alerts.trigger() }
        try await alerts.cancel(alertID: alert.alertId)
        await #expect(throws: AlertError.notActive) { try await alerts.cancel(alertID: alert.alertId) }
        #expect(try await alerts.active() == nil)

        let checkIns = MockCheckInClient(now: { Self.moment })
        #expect(try await checkIns.status().status == .inactive)
        #expect(try await checkIns.checkIn(nextCheckInInterval: 60).nextCheckInTime == Self.moment + 60)
        await #expect(throws: CheckInError.invalidInterval) { try await checkIns.checkIn(nextCheckInInterval: 59) }
        #expect(try await checkIns.status().status == .active)

        let notifications = MockNotificationClient()
        let message = PushNotification(userId: "u", title: "t", body: "b")
        let scheduled = try await notifications.schedule(message, at: .now + 60)
        try await notifications.cancel(messageID: scheduled.messageId)
        await #expect(throws: NotificationError.messageNotFound) {
            try await notifications.cancel(messageID: scheduled.messageId)
        }
        await notifications.fail(with: .recipientNotFound)
        await #expect(throws: NotificationError.recipientNotFound) { try await notifications.send(message) }

        let log = PoopLog(loggedAt: Self.moment, duration: 90, rating: .great, flushFundsEarned: 3)
        let logs = MockPoopLogDataSource([log, PoopLog(loggedAt: Self.moment + 60, duration: 30, rating: .bad)])
        #expect(try await logs.logs(from: Self.moment, to: Self.moment).map(\.id) == [log.id])
        #expect(try await logs.logs(from: nil, to: nil, page: 2, limit: 1).data == [log])
        #expect(try await logs.stats(from: nil, to: nil).averageDurationSeconds == 60)
        await logs.fail(with: .offline)
        await #expect(throws: PoopLogError.offline) { try await logs.delete(log.id) }
        for error in [
            PoopLogError.offline, .notFound, .invalid(["rating": "is required"]), .failed(.server(requestID: "r")),
        ] {
            #expect(!error.title.isEmpty)
            #expect(!error.message.isEmpty)
            #expect(!error.recovery.isEmpty)
        }
    }

    @Test func `a device whose registration was lost takes another id`() async throws {
        let store = InMemoryTokenStore()
        let answers: [RecordedTransport.Answer] = [
            .failure(URLError(.networkConnectionLost)), .json(#"{"code":"DEVICE_REGISTERED"}"#, status: 409),
            .json(Clients.session().replacingOccurrences(of: "{\"access", with: #"{"device_secret":"s","access"#)),
        ]
        let transport = RecordedTransport(answers)
        let identity = DeviceIdentity(client: Clients.make(transport, tokens: store), platform: "ios")
        await #expect(throws: APIError.network) { try await identity.signIn() }
        let first = await identity.deviceID
        try await identity.signIn()
        #expect(first != nil)
        #expect(await identity.deviceID != first)
        let ids = await transport.requests.map { $0.json["device_id"] as? String }
        #expect(ids[0] == ids[1])
        #expect(ids[1] != ids[2])
        try await identity.signIn()
        #expect(await transport.requests.count == 3)
    }
}
