import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct BroadcastTests {
    @Test(arguments: [("1.0.0", "2.0.0"), ("2.0.0", "1.0.0"), ("1.0.0", "1.0.0"), ("2.0.0", "2.0.0")])
    func `a broadcast reaches the others and not its sender`(sender: String, receiver: String) async throws {
        try await withRealtime { server in
            let first = try server.client(sender)
            try first.join("realtime:room")
            let others = try (0..<4).map { _ in
                let client = try server.client(receiver)
                try client.join("realtime:room")
                return client
            }
            let stranger = try server.client(receiver)
            try stranger.join("realtime:other")
            try first.broadcast("realtime:room", "shout", #"{"text":"hé \u0041", "n":1.50}"#)
            for client in others {
                let message = try client.next()
                #expect(message.event == "broadcast" && message.topic == "realtime:room")
                #expect(message.ref == .null && message.joinRef == .null)
                #expect(message.payload["type"] == "broadcast" && message.payload["event"] == "shout")
                #expect(message.payload["payload"]?["text"] == "hé A")
                #expect(message.payload["payload"]?["n"]?.description == "1.50")
            }
            #expect(try first.isQuiet())
            #expect(try stranger.isQuiet())
        }
    }

    @Test func `who asks for it gets its own broadcasts and an answer to each`() async throws {
        try await withRealtime { server in
            let client = try server.client("2.0.0")
            try client.join("realtime:room", #"{"broadcast":{"self":"true","ack":true}}"#)
            try client.broadcast("realtime:room", "shout", "{}", ref: "7")
            #expect(try client.next().event == "broadcast")
            let answer = try client.next()
            #expect(answer.event == "phx_reply" && answer.ref == "7" && answer.joinRef == "1")
            #expect(answer.payload == ["status": "ok", "response": [:]])
        }
    }

    /// As the Swift and JavaScript clients send.
    @Test func `binary broadcasts stay binary for the second version, and become JSON for the first`() async throws {
        try await withRealtime { server in
            let sender = try server.client("2.0.0")
            try sender.join("realtime:room", #"{"broadcast":{"ack":true}}"#)
            let second = try server.client("2.0.0")
            try second.join("realtime:room")
            let first = try server.client("1.0.0")
            try first.join("realtime:room")
            func frame(_ payload: String, isJSON: Bool, metadata: String = "") -> ClientFrame {
                let parts = ["1", "5", "realtime:room", "shout", metadata].map { Array($0.utf8) }
                let head = [3] + parts.map { UInt8($0.count) } + [isJSON ? 1 : 0]
                return ClientFrame(first: 0x82, payload: head + parts.joined() + Array(payload.utf8))
            }
            try sender.socket.send(frame(#"{"a":1}"#, isJSON: true, metadata: #"{"m":2}"#))
            let answer = try sender.next()
            #expect(answer.ref == "5" && answer.status == "ok")
            let head: [UInt8] = [4, 13, 5, 7, 1]
            #expect(try second.socket.next() == .binary(head + Array(#"realtime:roomshout{"m":2}{"a":1}"#.utf8)))
            #expect(
                try first.next().payload
                    == ["type": "broadcast", "event": "shout", "payload": ["a": 1], "meta": ["m": 2]]
            )
            try sender.socket.send(frame("\u{1}\u{2}", isJSON: false))
            #expect(try sender.next().status == "ok")
            #expect(try second.socket.next() == .binary([4, 13, 5, 0, 0] + Array("realtime:roomshout\u{1}\u{2}".utf8)))
            #expect(try first.isQuiet())
        }
    }

    @Test func `a payload over the limit is refused where an answer is asked for, and vanishes else`() async throws {
        try await withRealtime({ $0.maximumPayloadBytes = 1000 }) { server in
            let client = try server.client()
            try client.join("realtime:room", #"{"broadcast":{"ack":true,"self":true}}"#)
            try client.broadcast("realtime:room", "x", #"{"a":"\#(String(repeating: "a", count: 1000))"}"#)
            let answer = try client.next()
            #expect(answer.status == "error" && answer.reason == "payload_size_exceeded")
            #expect(try client.isQuiet())
        }
    }

    @Test func `a payload that is no object is dropped, and so is an unknown event`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.join("realtime:room", #"{"broadcast":{"ack":true,"self":true}}"#)
            for payload in ["[]", "1", "null", "\"x\""] {
                try client.send("broadcast", "realtime:room", payload, ref: "2")
            }
            try client.send("dance", "realtime:room", "{}", ref: "3")
            #expect(try client.isQuiet())
        }
    }

    @Test func `a room is left with its channel`() async throws {
        try await withRealtime { server in
            let (first, second) = (try server.client(), try server.client())
            try first.join("realtime:room")
            try second.join("realtime:room")
            try second.send("phx_leave", "realtime:room", ref: "2", joinRef: "1")
            #expect(try second.next().status == "ok")
            #expect(try second.next().event == "phx_close")
            try first.broadcast("realtime:room", "x", "{}")
            #expect(try first.isQuiet())
            #expect(try second.isQuiet())
        }
    }

    // MARK: - By HTTP

    @Test func `a batch by HTTP reaches everybody in its rooms`() async throws {
        try await withRealtime { server in
            let clients = try ["1.0.0", "2.0.0"].map { try server.client($0) }
            for client in clients { try client.join("realtime:room") }
            let batch =
                #"{"messages":[{"topic":"room","event":"a","payload":{"n":1},"id":"m1"},{"topic":"room","event":"b","payload":{}},{"topic":"none","event":"b","payload":{}}]}"#
            let reply = try server.post("/realtime/v1/api/broadcast", batch)
            #expect(reply.status == 202 && reply.body == "")
            for client in clients {
                #expect(
                    try client.next().payload
                        == ["type": "broadcast", "event": "a", "payload": ["n": 1], "meta": ["id": "m1"]]
                )
                #expect(try client.next().payload["event"] == "b")
            }
        }
    }

    @Test func `a single one by HTTP has its payload as the body`() async throws {
        try await withRealtime { server in
            let client = try server.client("2.0.0")
            try client.join("realtime:a/b")
            let path = "/realtime/v1/api/broadcast/a%2Fb/events/x%20y"
            #expect(try server.post(path, "[1]").status == 202)
            #expect(try client.next().payload == ["type": "broadcast", "event": "x y", "payload": [1]])
            #expect(try server.post(path, "\u{1}", type: "application/octet-stream").status == 202)
            #expect(try client.socket.next() == .binary([4, 12, 3, 0, 0] + Array("realtime:a/bx y\u{1}".utf8)))
            let other = try server.post(path, "x", type: "text/plain")
            #expect(other.status == 415 && other.body.hasPrefix(#"{"error":"#))
            #expect(try server.post(path, "{").status == 400)
            #expect(try client.isQuiet())
        }
    }

    @Test(
        arguments: [
            ("{}", 422), ("[]", 422), (#"{"messages":[{"topic":"a","event":"b"}]}"#, 422),
            (#"{"messages":[{"event":"b","payload":{}}]}"#, 422), (#"{"messages":[]}"#, 202),
        ]
    )
    func `a batch that lacks something is refused as a whole`(body: String, status: Int) async throws {
        try await withRealtime { server in
            let reply = try server.post("/realtime/v1/api/broadcast", body)
            #expect(reply.status == status)
            if status == 422 { #expect(reply.body.hasPrefix(#"{"errors":{"#)) }
        }
    }

    @Test func `HTTP needs a token`() async throws {
        try await withRealtime { server in
            for path in ["/realtime/v1/api/broadcast", "/realtime/v1/api/broadcast/a/events/b"] {
                let reply = try server.post(path, "{}", token: "nonsense")
                #expect(reply.status == 401 && reply.body == #"{"message":"Unauthorized"}"#)
            }
        }
    }
}
