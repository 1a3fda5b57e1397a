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
        func getIdToken() async throws -> String { "old" }
        func getIdToken(after refused: String) async throws -> String { "new" }
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
        let message = NotificationRequest(recipientId: "u2", title: "Hi", body: "There", data: ["screen": "home"])
        let scheduled = try await client.scheduleNotification(message, deliveryTime: Self.moment)
        #expect(scheduled == NotificationResult(messageId: "m1", sentAt: Self.moment))
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
        let message = NotificationRequest(recipientId: "u2", title: "Hi", body: "There")
        let sent = RecordedTransport([.json(#"{"success":true,"messageId":"m1","sentAt":"2025-03-15T17:44:35Z"}"#)])
        #expect(
            try await NotificationAdapter(functions: functions(sent)).sendPushNotification(message).sentAt
                == Self.moment
        )
        let cancelled = RecordedTransport([.json(#"{"success":true}"#)])
        try await NotificationAdapter(functions: functions(cancelled)).cancelNotification(messageId: "m1")
        #expect(await cancelled.requests.first?.json as? [String: String] == ["messageId": "m1"])
        let refusals: [(RecordedTransport.Outcome, NotificationError)] = [
            (.status(401), .unauthorized), (.status(404), .userNotFound),
            (.json(#"{"details":{"title":"is required"}}"#, status: 400), .invalidInput),
            (.status(429, headers: ["Retry-After": "9"]), .unknown(APIError.rateLimited(retryAfter: 9))),
            (.status(500), .sendFailed),
        ]
        for (answer, error) in refusals {
            let transport = RecordedTransport([answer])
            await #expect(throws: error) {
                try await NotificationAdapter(functions: functions(transport)).sendPushNotification(message)
            }
            #expect(error.errorDescription?.isEmpty == false)
        }
        let gone = RecordedTransport([.status(404)])
        await #expect(throws: NotificationError.unknown(APIError.notFound)) {
            try await NotificationAdapter(functions: functions(gone)).cancelNotification(messageId: "m1")
        }
    }

    @Test func `check-ins`() async throws {
        let done =
            #"{"success":true,"lastCheckInTime":"2025-03-15T17:44:35Z","nextCheckInTime":"2025-03-15T18:44:35Z"}"#
        let transport = RecordedTransport([.failure(URLError(.networkConnectionLost)), .json(done)])
        let checkIn = try await CheckInAdapter(functions: functions(transport)).processCheckIn(
            nextCheckInInterval: 3600
        )
        #expect(checkIn == CheckInResult(lastCheckInTime: Self.moment, nextCheckInTime: Self.moment + 3600))
        #expect(await transport.requests.last?.json["nextCheckInInterval"] as? Double == 3600)
        let never = #"{"lastCheckInTime":null,"nextCheckInTime":null,"status":"inactive","interval":86400}"#
        let status = try await CheckInAdapter(functions: functions(RecordedTransport([.json(never)])))
            .getCheckInStatus()
        #expect(status.status == .inactive)
        #expect(status.lastCheckInTime == nil)
        #expect(status.interval == 86_400)
        let odd = RecordedTransport([.json(#"{"status":"dancing","interval":60.5}"#)])
        #expect(try await CheckInAdapter(functions: functions(odd)).getCheckInStatus().status == .unknown)
        let refused = RecordedTransport([.json(#"{"details":{"nextCheckInInterval":"is too short"}}"#, status: 400)])
        await #expect(throws: CheckInError.invalidInput) {
            try await CheckInAdapter(functions: functions(refused)).processCheckIn(nextCheckInInterval: 1)
        }
    }

    @Test func `alerts`() async throws {
        let alert = #"{"alertId":"a1","activatedAt":"2025-03-15T17:44:35Z","status":"active"}"#
        let expected = AlertResult(alertId: "a1", activatedAt: Self.moment)
        #expect(
            try await AlertAdapter(functions: functions(RecordedTransport([.json(alert)]))).triggerAlert() == expected
        )
        #expect(
            try await AlertAdapter(functions: functions(RecordedTransport([.json(alert)]))).getActiveAlert() == expected
        )
        #expect(
            try await AlertAdapter(functions: functions(RecordedTransport([.json("null")]))).getActiveAlert() == nil
        )
        try await AlertAdapter(functions: functions(RecordedTransport([.json(#"{"success":true}"#)]))).cancelAlert(
            alertId: "a1"
        )
        let twice = #"{"code":"ALERT_ALREADY_ACTIVE","details":{"alertId":"a1"}}"#
        await #expect(throws: AlertError.alreadyActive) {
            try await AlertAdapter(functions: functions(RecordedTransport([.json(twice, status: 409)]))).triggerAlert()
        }
        await #expect(throws: AlertError.notActive) {
            let ended = RecordedTransport([.json(#"{"code":"ALERT_NOT_ACTIVE"}"#, status: 409)])
            try await AlertAdapter(functions: functions(ended)).cancelAlert(alertId: "a1")
        }
        await #expect(throws: AlertError.notActive) {
            try await AlertAdapter(functions: functions(RecordedTransport([.status(404)]))).cancelAlert(alertId: "a1")
        }
    }

    @Test func `mocks give what is set, and remember what they were asked`() async throws {
        let alerts = MockAlertClient()
        let alert = AlertResult(alertId: "a1", activatedAt: Self.moment)
        #expect(try await alerts.getActiveAlert() == nil)
        alerts.getActiveAlertResult = .success(alert)
        #expect(try await alerts.getActiveAlert() == alert)
        alerts.triggerAlertResult = .failure(.alreadyActive)
        await #expect(throws: AlertError.alreadyActive) { try await alerts.triggerAlert() }
        alerts.cancelAlertResult = .failure(.unknown(URLError(.timedOut)))
        await #expect(throws: AlertError.unknown(URLError(.timedOut))) { try await alerts.cancelAlert(alertId: "a1") }

        let checkIns = MockCheckInClient()
        #expect(try await checkIns.getCheckInStatus().status == "inactive")
        checkIns.processCheckInResult = .success(
            CheckInResult(lastCheckInTime: Self.moment, nextCheckInTime: Self.moment + 60)
        )
        #expect(try await checkIns.processCheckIn(nextCheckInInterval: 60).nextCheckInTime == Self.moment + 60)
        #expect(checkIns.intervals == [60])

        let notifications = MockNotificationClient()
        let message = NotificationRequest(recipientId: "u", title: "t", body: "b")
        try await notifications.sendPushNotification(message)
        notifications.sendPushNotificationResult = .failure(.userNotFound)
        await #expect(throws: NotificationError.userNotFound) { try await notifications.sendPushNotification(message) }
        #expect(notifications.sent == [message, message])
        try await notifications.cancelNotification(messageId: "m1")
        #expect(notifications.cancelled == ["m1"])
    }

    @Test func `logs are kept by the mock as by the server`() async throws {
        let device = UUID()
        let log = PoopLog(loggedAt: Self.moment, duration: 90, rating: .great, flushFundsEarned: 3)
        let logs = MockPoopLogDataSource([log, PoopLog(loggedAt: Self.moment + 60, duration: 30, rating: .bad)])
        #expect(try await logs.fetchLogs(from: Self.moment, to: Self.moment) == [log])
        #expect(try await logs.fetchLogs(for: device, limit: 1, offset: 1) == [log])
        #expect(try await logs.getTotalLogs(for: device) == 2)
        try await logs.deleteLog(id: log.id, deviceId: device)
        await #expect(throws: PoopLogError.notFound) { try await logs.fetchLog(id: log.id, deviceId: device) }
        #expect(log.toDTO(deviceId: device).deviceId == device)
        #expect(log.toDTO(deviceId: device).toDomain() == log)
        logs.failure = .offline
        await #expect(throws: PoopLogError.offline) { try await logs.createLog(log, deviceId: device) }
        for error in [
            PoopLogError.offline, .notFound, .invalid(["rating": "is required"]), .failed(.server(requestID: "r")),
        ] {
            #expect(!error.title.isEmpty)
            #expect(!error.message.isEmpty)
            #expect(!error.recoveryAction.isEmpty)
        }
    }

    @Test func `a photo without a day has the one that it was stored on`() throws {
        let rows = #"""
            [{"id":1,"user_id":"u","image_url":"a","photo_date":null,"created_at":"2025-03-15T17:44:35Z"},
             {"id":2,"image_url":"b","photo_date":"2025-03-15T17:44:36Z","created_at":"2025-03-15T17:44:35Z"}]
            """#
        let images = try JSONDecoder.swiftlet.decode(WrappedArrayResponse<ImageModel>.self, from: Data(rows.utf8)).data
        #expect(images.map(\.photoDate) == [Self.moment, Self.moment + 1])
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder.swiftlet.decode(ImageModel.self, from: Data(#"{"id":"1"}"#.utf8))
        }
        #expect(error.map { detailedDecodingError($0) }?.hasPrefix("Type mismatch at 'id': expected Int") == true)
    }

    @Test func `a device whose registration was lost takes another id`() async throws {
        let store = InMemoryTokenStore()
        let answers: [RecordedTransport.Outcome] = [
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
