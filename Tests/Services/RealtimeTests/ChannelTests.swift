import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct ChannelTests {
    @Test(arguments: ["1.0.0", "2.0.0"])
    func `a client joins, beats and leaves`(version: String) async throws {
        try await withRealtime { server in
            let client = try server.client(version)
            let joined = try client.join("realtime:room")
            #expect(joined.event == "phx_reply")
            #expect(joined.topic == "realtime:room")
            #expect(joined.ref == "1")
            #expect(joined.joinRef == (version == "2.0.0" ? "1" : .null))
            #expect(joined.payload == ["status": "ok", "response": ["postgres_changes": []]])
            #expect(try client.isQuiet())
            #expect(server.realtime.statistics.channels == 1)
            try client.send("phx_leave", "realtime:room", ref: "2", joinRef: "1")
            let left = try client.next()
            #expect(left.event == "phx_reply" && left.ref == "2" && left.status == "ok")
            let closed = try client.next()
            #expect(closed.event == "phx_close" && closed.ref == "1" && closed.payload == [:])
            #expect(server.realtime.statistics.channels == 0)
        }
    }

    /// As the Python client beats.
    @Test func `a heartbeat without a ref is answered without one`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.socket.send(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}"#)
            let answer = try client.next()
            #expect(answer.ref == .null && answer.status == "ok" && answer.payload["response"] == [:])
        }
    }

    @Test func `what is no message is dropped, and the socket stays`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            for text in [
                "", "{", "[]", "{}", "null", #"{"topic":"phoenix","event":"heartbeat","payload":{}}"#, "[1,2]",
            ] {
                try client.socket.send(text)
            }
            try client.socket.send(ClientFrame(first: 0x82, payload: [3, 255, 255, 1, 1, 1, 1, 1]))
            #expect(try client.isQuiet())
            let second = try server.client("2.0.0")
            for text in [#"[null,"1","phoenix","heartbeat"]"#, #"[null,"1","phoenix","heartbeat",{},{}]"#] {
                try second.socket.send(text)
            }
            for bytes: [UInt8] in [[], [3], [3, 0, 0, 0, 0, 0, 2], [4, 0, 0, 0, 0, 0, 1], [3, 9, 0, 0, 0, 0, 1, 65]] {
                try second.socket.send(ClientFrame(first: 0x82, payload: bytes))
            }
            #expect(try second.isQuiet())
        }
    }

    @Test(
        arguments: [
            ("phx_join", "room", "unmatched topic"),
            ("phx_join", "realtime:", "TopicNameRequired: You must provide a topic name"),
            ("broadcast", "realtime:room", "unmatched topic"),
            ("shutdown", "phoenix", "unmatched topic"),
        ]
    )
    func `a topic that is none is refused`(event: String, topic: String, reason: String) async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.send(event, topic, ref: "5")
            let answer = try client.next()
            #expect(answer.ref == "5" && answer.status == "error" && answer.reason == reason)
        }
    }

    @Test func `topics of 100 KB are refused`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.send("phx_join", "realtime:" + String(repeating: "x", count: 100_000), ref: "5")
            #expect(try client.next().reason?.hasPrefix("TopicTooLong") == true)
        }
    }

    @Test func `leaving what was not joined is fine, and an old leave leaves the new join alone`() async throws {
        try await withRealtime { server in
            let client = try server.client("2.0.0")
            try client.send("phx_leave", "realtime:room", ref: "1", joinRef: "1")
            #expect(try client.next().status == "ok")
            try client.join("realtime:room", ref: "2")
            try client.send("phx_leave", "realtime:room", ref: "3", joinRef: "1")
            #expect(try client.next().status == "ok")
            #expect(try client.isQuiet())
            #expect(server.realtime.statistics.channels == 1)
        }
    }

    @Test func `a second join of a topic closes the first`() async throws {
        try await withRealtime { server in
            let client = try server.client("2.0.0")
            try client.join("realtime:room", ref: "1")
            try client.send("phx_join", "realtime:room", ref: "2", joinRef: "2")
            let closed = try client.next()
            #expect(closed.event == "phx_close" && closed.ref == "1" && closed.joinRef == "1")
            #expect(try client.next().ref == "2")
            #expect(server.realtime.statistics.channels == 1)
        }
    }

    @Test func `limits of channels and messages hold`() async throws {
        try await withRealtime({
            $0.maximumChannels = 2
            $0.messagesPerSecond = 1
        }) { server in
            let client = try server.client()
            try client.join("realtime:1")
            try client.join("realtime:2")
            #expect(try client.join("realtime:3").reason == "ChannelRateLimitReached: Too many channels")
            for _ in 0..<7 { try client.broadcast("realtime:1", "x", "{}") }
            #expect(try client.isQuiet())
            try client.broadcast("realtime:1", "x", "{}")
            let system = try client.next()
            #expect(system.event == "system" && system.payload["status"] == "error")
            #expect(system.payload["message"] == "Too many messages per second")
            #expect(try client.next().event == "phx_close")
        }
    }

    @Test func `too many joins at once close the socket`() async throws {
        try await withRealtime({ $0.joinsPerSecond = 2 }) { server in
            let client = try server.client()
            try client.join("realtime:1")
            try client.join("realtime:2")
            #expect(try client.join("realtime:3").reason == "ClientJoinRateLimitReached: Too many joins per second")
            #expect(try client.socket.next() == .close(1013))
        }
    }

    @Test func `a socket in no channel is closed after a while`() async throws {
        try await withRealtime({ $0.idleTimeout = .milliseconds(50) }) { server in
            let client = try server.client()
            #expect(try client.socket.next() == .close(1012))
            #expect(try client.socket.next() == .end || server.realtime.statistics.sockets == 0)
        }
    }

    @Test func `a client that vanishes leaves its channels`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.join("realtime:1")
            client.socket.socket.reset()
            #expect(soon { server.realtime.statistics.channels == 0 && server.realtime.statistics.sockets == 0 })
        }
    }

    /// The address of the socket, and what is answered.
    @Test(
        arguments: [
            ("", 401, #"{"error":"API key is missing"}"#),
            ("?apikey=nonsense", 401, #"{"error":"The token provided is not a valid JWT"}"#),
            ("?apikey=TOKEN&vsn=3.0.0", 403, ""),
        ]
    )
    func `a socket without a right key is refused`(query: String, status: Int, body: String) async throws {
        try await withRealtime { server in
            let path = "/realtime/v1/websocket" + query.replacing("TOKEN", with: try TestRealtime.token())
            let client = try WebSocketClient(port: server.port, path: path)
            #expect(client.handshake.status == status)
            #expect(client.handshake.body == body)
        }
    }

    @Test func `an expired or forged key is refused`() async throws {
        try await withRealtime { server in
            let expired = try TestRealtime.token(["role": "anon", "exp": 1])
            let forged = try TestRealtime.token() + "x"
            for (token, text) in [(expired, "Token has expired"), (forged, "Failed to validate JWT signature")] {
                let client = try WebSocketClient(port: server.port, path: "/realtime/v1/websocket?apikey=\(token)")
                #expect(client.handshake.status == 401)
                #expect(client.handshake.body == #"{"error":"\#(text)"}"#)
            }
        }
    }

    @Test func `an ordinary request is told to shake hands, and too many sockets are refused`() async throws {
        try await withRealtime({ $0.maximumSockets = 1 }) { server in
            let plain = try SocketClient(port: server.port)
            let token = try TestRealtime.token()
            try plain.send("GET /realtime/v1/websocket?apikey=\(token) HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try plain.reply().status == 426)
            let first = try server.client()
            #expect(try first.isQuiet())
            let path = "/realtime/v1/websocket?apikey=\(token)"
            let second = try WebSocketClient(port: server.port, path: path)
            #expect(second.handshake.status == 429)
            #expect(second.handshake.body == #"{"error":"Too many connected users"}"#)
        }
    }

    @Test func `the answer to changes lists them as they came, with their ids`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            let entries =
                #"[{"event":"*","schema":"public","table":"notes"},{"schema":"public","event":"INSERT","x":1.50},{"event":"*","schema":"public","table":"notes"}]"#
            let joined = try client.join("realtime:room", #"{"postgres_changes":\#(entries)}"#)
            let answered = try #require(joined.payload["response"]?["postgres_changes"]?.array)
            #expect(answered.count == 3)
            let ids = answered.compactMap { $0["id"]?.int }
            #expect(ids.allSatisfy { (1..<134_217_728).contains($0) })
            #expect(ids[0] == ids[2] && ids[0] != ids[1])
            #expect(answered[1].description.hasPrefix(#"{"schema":"public","event":"INSERT","x":1.50,"id":"#))
            let system = try client.next()
            #expect(system.event == "system" && system.ref == .null)
            #expect(system.payload["extension"] == "postgres_changes")
            #expect(system.payload["status"] == "error")
            #expect(system.payload["channel"] == "room")
        }
    }
}
