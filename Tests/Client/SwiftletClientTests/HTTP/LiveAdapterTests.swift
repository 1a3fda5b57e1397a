import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import SwiftletTesting
import Testing

/// The adapters and the gallery against the real functions and tables, over HTTP.
@Suite(.needsDatabase, .hangLimit)
struct LiveAdapterTests {
    private func functions(_ server: LiveServer, _ client: APIClient) -> FunctionsAdapter {
        FunctionsAdapter(url: client.configuration.baseURL, auth: AuthManager(client: client))
    }

    @Test func `messages`() async throws {
        try await LiveServer.with { server in
            let client = try await server.signedIn()
            let notifications = NotificationAdapter(functions: functions(server, client))
            var message = NotificationRequest(
                recipientId: LiveServer.userID,
                title: "Hi",
                body: "There",
                data: ["a": "b"]
            )
            let sent = try await notifications.sendPushNotification(message)
            #expect(abs(sent.sentAt.timeIntervalSinceNow) < 300)
            #expect(!sent.messageId.isEmpty)
            let time = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())
            let scheduled = try await notifications.scheduleNotification(message, deliveryTime: time)
            #expect(scheduled.sentAt == time)
            try await notifications.cancelNotification(messageId: scheduled.messageId)
            await #expect(throws: NotificationError.unknown(APIError.notFound)) {
                try await notifications.cancelNotification(messageId: scheduled.messageId)
            }
            await #expect(throws: NotificationError.invalidInput) {
                try await notifications.scheduleNotification(message, deliveryTime: .now - 60)
            }
            message.recipientId = "nobody"
            await #expect(throws: NotificationError.userNotFound) {
                try await notifications.sendPushNotification(message)
            }
            await AuthManager(client: client).logout()
            await #expect(throws: NotificationError.unauthorized) {
                try await notifications.sendPushNotification(message)
            }
        }
    }

    @Test func `check-ins and alerts`() async throws {
        try await LiveServer.with { server in
            // With a token that has expired by now.
            let client = server.client(tokens: try await server.expiredSession())
            let checkIns = CheckInAdapter(functions: functions(server, client))
            let before = try await checkIns.getCheckInStatus()
            #expect(before.status == .inactive)
            #expect(before.interval == 86_400)
            #expect(before.nextCheckInTime == nil)
            let checkIn = try await checkIns.processCheckIn(nextCheckInInterval: 3600)
            #expect(checkIn.nextCheckInTime == checkIn.lastCheckInTime + 3600)
            #expect(try await checkIns.getCheckInStatus().status == .active)
            await #expect(throws: CheckInError.invalidInput) {
                try await checkIns.processCheckIn(nextCheckInInterval: 5)
            }

            let alerts = AlertAdapter(functions: functions(server, client))
            #expect(try await alerts.getActiveAlert() == nil)
            let alert = try await alerts.triggerAlert()
            #expect(try await alerts.getActiveAlert() == alert)
            await #expect(throws: AlertError.alreadyActive) { try await alerts.triggerAlert() }
            #expect(try await checkIns.getCheckInStatus().status == .alert)
            try await alerts.cancelAlert(alertId: alert.alertId)
            await #expect(throws: AlertError.notActive) { try await alerts.cancelAlert(alertId: alert.alertId) }
            await #expect(throws: AlertError.notActive) { try await alerts.cancelAlert(alertId: UUID().uuidString) }
        }
    }

    @Test func `responders, from both sides`() async throws {
        try await LiveServer.with { server in
            let other = "a0000000-0000-4000-8000-0000000000fe"
            try server.execute(
                """
                INSERT INTO users (id, tenant_id, email, first_name, last_name, password_hash, role_id)
                VALUES ('\(other)', 'acme', 'ada@x.example', 'Ada', 'L', '\(GoTrueDatabase.passwordHash)', 'r5')
                """
            )
            let grace = ResponderService(try await server.signedIn())
            let client = server.client()
            try await AuthManager(client: client).login(email: "ada@x.example", password: LiveServer.password)
            let ada = ResponderService(client)
            await #expect(throws: APIError.notFound) { try await grace.ask("nobody") }
            let asked = try await grace.ask(other)
            #expect(asked.userId == LiveServer.userID)
            #expect(asked.status == .pending)
            #expect(asked.acceptedAt == nil)
            await #expect(throws: APIError.conflict) { try await grace.ask(other) }
            await #expect(throws: APIError.notFound) { try await grace.accept(asked.id) }
            #expect(try await ada.responders() == [asked])
            let accepted = try await ada.accept(asked.id)
            #expect(accepted.status == .accepted)
            #expect(accepted.acceptedAt != nil)
            #expect(try await grace.responders() == [accepted])
            try await grace.remove(asked.id)
            #expect(try await ada.responders().isEmpty)
        }
    }

    @Test func `devices for messages`() async throws {
        try await LiveServer.with { server in
            let service = PushTokenService(try await server.signedIn())
            let device = PushToken(deviceToken: Data([0, 1, 254]), environment: .sandbox, app: "com.example.app")
            let registered = try await service.register(device)
            #expect(registered.token == "0001fe")
            #expect(registered.platform == .ios)
            #expect(registered.environment == .sandbox)
            #expect(try await service.pushTokens() == [registered])
            try await service.register(PushToken(token: "0001fe", app: "com.example.app"))
            #expect(try await service.pushTokens().map(\.environment) == [.production])
            try await service.remove("0001fe")
            #expect(try await service.pushTokens().isEmpty)
            await #expect(throws: APIError.notFound) { try await service.remove("0001fe") }
        }
    }

    @Test func `the gallery, as a signed-in user`() async throws {
        try await LiveServer.with { server in
            let gallery = GalleryClient(client: try await server.signedIn())
            let id = LiveServer.userID
            #expect(try await gallery.fetchUserByAppleId("001.a+b&c") == nil)
            try await gallery.upsertUser(UserModel(id: id, appleId: "001.a+b&c", name: "Grace"))
            let user = try await gallery.upsertUser(UserModel(id: id, appleId: "001.a+b&c", name: "Grace H."))
            #expect(user.name == "Grace H.")
            #expect(user.createdAt != nil)
            #expect(try await gallery.fetchUserByAppleId("001.a+b&c") == user)
            for day in 1...3 {
                let date = Date(timeIntervalSince1970: Double(day) * 86_400)
                try await gallery.addImage(
                    NewImage(userId: id, imageUrl: "https://x/\(day).png", photoDate: date)
                )
            }
            let page = try await gallery.fetchImages(of: id, page: 1, limit: 2)
            #expect(
                page.total == 3 && page.hasMore == true
                    && page.data.map(\.imageUrl) == ["https://x/3.png", "https://x/2.png"]
            )
            let last = try await gallery.fetchImages(page: 2, limit: 2)
            #expect(last.data.count == 1)
            #expect(last.hasMore == false)
            try await gallery.deleteImage(last.data[0].id)
            #expect(try await gallery.fetchImages().total == 2)
        }
    }
}
