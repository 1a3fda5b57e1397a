import SwiftletHTTP
import SwiftletJSON
import SwiftletPush
import SwiftletTesting
import Testing
import SwiftletWeb

/// Messages from one person to another, as their app sends them.
@Suite(.needsDatabase, .hangLimit)
struct PushMessageTests {
    private static let hello = #"{"userId":"bob","title":"Hello","body":"How are you? 👋 مرحبا","data":{"kind":"wave"}}"#

    private static func scheduled(_ time: String) -> String {
        #"{"userId":"bob","title":"Later","body":"Hello","deliveryTime":"\#(time)"}"#
    }

    @Test func `a message reaches each of the recipient's devices`() async throws {
        try await Circle.with { circle async throws in
            try await circle.join("ada", "bob")
            try await circle.link("bob", to: "ada")
            let phone = #"{"token":"bobs-phone","platform":"android","app":"example.app"}"#
            #expect(try await circle.status("/push-tokens", as: "bob", phone) == 201)
            let answer = try await circle.post("/send-push-notification", as: "ada", Self.hello)
            #expect(answer["success"] == true)
            let id = try #require(answer["messageId"]?.string)
            #expect(answer["sentAt"]?.string?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) != nil)
            #expect(try await eventually { circle.outbox.tokens.sorted() == ["bobs-phone", "device-of-bob"] })
            let message = try #require(circle.outbox.all.first)
            #expect(
                message == PushMessage(id: id, title: "Hello", body: "How are you? 👋 مرحبا", data: ["kind": "wave"])
            )
            #expect(
                try await eventually { try circle.count("push_messages WHERE status = 'sent' AND attempts = 2") == 1 }
            )
        }
    }

    @Test func `unknown recipients and those one may not write to are alike`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("bob")
            let stranger = try await circle.send(.post, "/send-push-notification", as: "ada", Self.hello)
            let unknown = try await circle.send(
                .post,
                "/send-push-notification",
                as: "ada",
                Self.hello.replacing("bob", with: "nobody")
            )
            #expect(stranger.status == .notFound)
            #expect(unknown.status == .notFound)
            let keys = try [stranger, unknown].map { try JSONParser.parse($0.body)["message"] }
            #expect(keys[0] == keys[1])
            #expect(try circle.count("push_messages") == 0)
        }
        try await Circle.with(performsJobs: false, values: .toAnybody) { circle async throws in
            try await circle.join("bob")
            #expect(try await circle.status("/send-push-notification", as: "ada", Self.hello) == 200)
        }
    }

    @Test func `people of one tenant may write to each other`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try circle.server.execute("INSERT INTO users (id, tenant_id) VALUES ('bob', 'acme'), ('eve', 'nordlicht')")
            let ada = try TestApplication.token(tenant: "acme", user: "ada")
            for (recipient, status) in [("bob", 200), ("eve", 404)] {
                let body = Self.hello.replacing("bob", with: recipient)
                let answer = try await circle.server.send(.post, "/send-push-notification", token: ada, body)
                #expect(answer.status.rawValue == status)
            }
        }
    }

    @Test func `sixty messages a minute, then no more`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("ada")
            let body = #"{"userId":"ada","title":"Note","body":"to myself"}"#
            try circle.server.execute(
                """
                INSERT INTO push_messages (user_id, recipient_id, title, body)
                SELECT 'ada', 'ada', 'a', 'b' FROM generate_series(1, 59)
                """
            )
            #expect(try await circle.status("/send-push-notification", as: "ada", body) == 200)
            #expect(try await circle.status("/send-push-notification", as: "ada", body) == 429)
            #expect(try await circle.status("/schedule-notification", as: "bob", Self.scheduled("2025-01-01")) == 400)
        }
    }

    @Test(arguments: [
        ("userId", #"{"title":"a","body":"b"}"#), ("title", #"{"userId":"ada","body":"b"}"#),
        ("title", #"{"userId":"ada","title":"  ","body":"b"}"#), ("title", #"{"userId":"ada","title":7,"body":"b"}"#),
        ("body", #"{"userId":"ada","title":"a"}"#), ("body", #"{"userId":"ada","title":"a","body":"x\u0000y"}"#),
        ("title", #"{"userId":"ada","title":"\#(String(repeating: "x", count: 201))","body":"b"}"#),
        ("body", #"{"userId":"ada","title":"a","body":"\#(String(repeating: "x", count: 4001))"}"#),
        ("body", #"{"userId":"ada","title":"a","body":"\#(String(repeating: "é", count: 2100))"}"#),
        ("data", #"{"userId":"ada","title":"a","body":"b","data":{"a":7}}"#),
        ("data", #"{"userId":"ada","title":"a","body":"b","data":["a"]}"#),
        ("data", #"{"userId":"ada","title":"a","body":"b","data":{"a":"\#(String(repeating: "x", count: 4090))"}}"#),
    ])
    func `names the field that is wrong`(field: String, body: String) async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("ada")
            let answer = try await circle.send(.post, "/send-push-notification", as: "ada", body)
            #expect(answer.status == .badRequest)
            #expect(try JSONParser.parse(answer.body)["details"]?[field] != nil, "\(answer.text)")
            #expect(try circle.count("push_messages") == 0)
        }
    }

    @Test(arguments: [
        "2020-01-01T00:00:00Z", "soon", "tomorrow", "infinity", "", "2099-02-30T00:00:00Z", "2199-01-01T00:00:00Z",
        "20990101", "99999-01-01T00:00:00Z",
    ])
    func `refuses times that are past, absurd or none`(time: String) async throws {
        try await Circle.with(performsJobs: false, values: .toAnybody) { circle async throws in
            try await circle.join("bob")
            let answer = try await circle.send(.post, "/schedule-notification", as: "ada", Self.scheduled(time))
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("deliveryTime"))
            #expect(try circle.count("push_messages") == 0)
        }
    }

    @Test func `a scheduled message is sent when it is due, unless it was cancelled`() async throws {
        try await Circle.with(values: .toAnybody) { circle async throws in
            try await circle.join("bob")
            let rows = try await circle.server.database.query(
                "SELECT to_char(now() AT TIME ZONE 'UTC' + interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SS') AS time"
            )
            let time = try #require(rows.first?["time"])
            let first = try await circle.post("/schedule-notification", as: "ada", Self.scheduled(time))
            #expect(first["scheduledFor"]?.string == time + "Z")
            let second = try await circle.post("/schedule-notification", as: "ada", Self.scheduled(time + "+00:00"))
            let id = try #require(second["messageId"]?.string)
            let body = #"{"messageId":"\#(id)"}"#
            #expect(try await circle.status("/cancel-notification", as: "bob", body) == 404)
            #expect(try await circle.status("/cancel-notification", as: "ada", #"{"messageId":"x"}"#) == 404)
            #expect(try await circle.post("/cancel-notification", as: "ada", body) == ["success": true])
            #expect(try await circle.status("/cancel-notification", as: "ada", body) == 404)
            #expect(circle.outbox.all.isEmpty)
            try circle.letTimePass()
            #expect(try await eventually { try circle.count("push_messages WHERE status = 'sent'") == 1 })
            #expect(circle.outbox.all.map(\.id) == [first["messageId"]?.string ?? ""])
            #expect(try circle.count("push_messages WHERE status = 'cancelled'") == 1)
        }
    }

    @Test func `a device that is gone is forgotten, and a message without any is undeliverable`() async throws {
        try await Circle.with(values: .toAnybody, answer: { _, _ in .unregistered("gone") }) {
            circle async throws in
            try await circle.join("bob")
            _ = try await circle.post("/send-push-notification", as: "ada", Self.hello)
            #expect(try await eventually { try circle.count("push_messages WHERE status = 'undeliverable'") == 1 })
            #expect(try circle.count("push_tokens") == 0)
        }
    }

    @Test func `what the service refuses for good is failed at once`() async throws {
        try await Circle.with(values: .toAnybody, answer: { _, _ in .refused("bad topic") }) {
            circle async throws in
            try await circle.join("bob")
            _ = try await circle.post("/send-push-notification", as: "ada", Self.hello)
            #expect(
                try await eventually {
                    try circle.count("push_messages WHERE status = 'failed' AND last_error = 'bad topic'") == 1
                }
            )
            #expect(try await eventually { try circle.count("swiftlet.job_history WHERE state = 'failed'") == 1 })
        }
    }

    @Test func `a token belongs to whoever has registered it last`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("ada")
            let token = #"{"token":"device-of-ada","platform":"android","app":"other"}"#
            #expect(try await circle.status("/push-tokens", as: "bob", token) == 201)
            let lists = [
                try await circle.send(.get, "/push-tokens", as: "ada"),
                try await circle.send(.get, "/push-tokens", as: "bob"),
            ]
            #expect(try lists.map { try JSONParser.parse($0.body)["total"]?.int } == [0, 1])
            #expect(try await circle.send(.delete, "/push-tokens/device-of-ada", as: "ada").status == .notFound)
            #expect(try await circle.send(.delete, "/push-tokens/device-of-ada", as: "bob").status == .ok)
            for body in [
                #"{"token":"a","platform":"windows","app":"x"}"#, #"{"platform":"ios","app":"x"}"#,
                #"{"token":"a","platform":"ios","app":"x","environment":"test"}"#, #"{"token":"a","platform":"ios"}"#,
            ] {
                #expect(try await circle.status("/push-tokens", as: "ada", body) == 400)
            }
        }
    }

    @Test func `an id in upper case is the same person`() async throws {
        let responder = "a0000000-0000-4000-8000-00000000000f"
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("ada", responder)
            let asked = try await circle.post("/responders", as: "ada", #"{"userId":"\#(responder.uppercased())"}"#)
            #expect(asked["responderId"] == .string(responder))
            #expect(try await circle.status("/responders", as: "ada", #"{"userId":"\#(responder)"}"#) == 409)
            let itself = #"{"userId":"\#(responder.uppercased())"}"#
            #expect(try await circle.status("/responders", as: responder, itself) == 400)
        }
    }

    @Test func `refuses a character that has the bytes of thousands`() async throws {
        let app = "e" + String(repeating: "\u{301}", count: 5000)
        try await Circle.with(performsJobs: false) { circle async throws in
            let body = #"{"token":"t","platform":"ios","app":"\#(app)"}"#
            #expect(try await circle.status("/push-tokens", as: "ada", body) == 400)
        }
    }

    @Test func `only the one who was asked can accept, and both can end it`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("ada", "bob", "eve")
            let asked = try await circle.post("/responders", as: "ada", #"{"userId":"bob"}"#)
            let id = try #require(asked["id"]?.string)
            #expect(asked["status"] == "pending")
            #expect(try await circle.status("/responders", as: "ada", #"{"userId":"bob"}"#) == 409)
            #expect(try await circle.status("/responders", as: "ada", #"{"userId":"ada"}"#) == 400)
            #expect(try await circle.status("/responders", as: "ada", #"{"userId":"nobody"}"#) == 404)
            for person in ["ada", "eve"] {
                #expect(try await circle.status("/responders/\(id)/accept", as: person) == 404)
            }
            #expect(try await circle.post("/responders/\(id)/accept", as: "bob")["status"] == "accepted")
            let list = try await circle.send(.get, "/responders", as: "bob")
            #expect(try JSONParser.parse(list.body)["data"]?[0]?["userId"] == "ada")
            #expect(try await circle.send(.delete, "/responders/\(id)", as: "eve").status == .notFound)
            #expect(try await circle.send(.delete, "/responders/\(id)", as: "bob").status == .ok)
            #expect(try circle.count("responders") == 0)
        }
    }
}
