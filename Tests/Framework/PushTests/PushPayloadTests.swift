import SwiftletJSON
import Testing

@testable import SwiftletPush

@Suite struct PushPayloadTests {
    private let notification = PushNotification(
        id: "0198c0de-0000-7000-8000-000000000001",
        title: "שלום 👋🏽",
        body: "\"two\"\nlines",
        data: ["aps": "mine", "visit": "7"]
    )

    @Test func `Apple's has the alert beside the app's data`() throws {
        let body = try JSONParser.parse(try PushPayload.apns(notification))
        #expect(body["aps"]?["alert"]?["title"] == "שלום 👋🏽")
        #expect(body["aps"]?["alert"]?["body"] == "\"two\"\nlines")
        #expect(body["aps"]?["sound"] == "default")
        #expect(body["visit"] == "7")
    }

    @Test func `Google's has the token, the text and the data`() throws {
        var notification = notification
        notification.expiresAt = 1_090
        let body = try JSONParser.parse(try PushPayload.fcm(notification, token: "abc", now: 1_000))
        #expect(body["message"]?["token"] == "abc")
        #expect(body["message"]?["notification"]?["body"] == "\"two\"\nlines")
        #expect(body["message"]?["data"]?["visit"] == "7")
        #expect(body["message"]?["android"]?["ttl"] == "90s")
        #expect(body["message"]?["android"]?["priority"] == "HIGH")
    }

    @Test func `Google keeps nothing for more than 28 days, and has keys of its own`() throws {
        var notification = notification
        notification.expiresAt = 1_000 + 29 * 86_400
        notification.data = ["from": "me", "message_type": "a", "google.c.a": "1", "gcm_x": "2", "visit": "7"]
        let message = try JSONParser.parse(try PushPayload.fcm(notification, token: "abc", now: 1_000))["message"]
        #expect(message?["android"]?["ttl"] == "2419200s")
        #expect(message?["data"] == ["visit": "7"])
    }

    @Test func `4096 bytes are the most, and the error says how many there were`() throws {
        var notification = PushNotification(id: "", title: "", body: "")
        let empty = try PushPayload.apns(notification).count
        notification.body = String(repeating: "é", count: (4096 - empty) / 2)
        let fullest = try PushPayload.apns(notification)
        #expect(fullest.count >= 4095)
        notification.body += "éé"
        let error = #expect(throws: PushPayload.TooLarge.self) { try PushPayload.apns(notification) }
        #expect(error?.description == "the message has \(fullest.count + 4) bytes, at most 4096 are allowed")
        #expect(throws: PushPayload.TooLarge.self) { try PushPayload.fcm(notification, token: "t", now: 0) }
    }
}
