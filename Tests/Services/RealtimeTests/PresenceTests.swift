import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct PresenceTests {
    private static func ref(_ value: JSONValue?) -> String? { value?["metas"]?[0]?["phx_ref"]?.string }

    @Test(arguments: ["1.0.0", "2.0.0"])
    func `who tracks is seen by all, with what it tells`(version: String) async throws {
        try await withRealtime { server in
            let ada = try server.client(version)
            try ada.join("realtime:room", #"{"presence":{"key":"ada","enabled":true}}"#)
            let empty = try ada.next()
            #expect(empty.event == "presence_state" && empty.payload == [:])
            try ada.track("realtime:room", #"{"mood":"fine"}"#)
            let answer = try ada.next()
            #expect(answer.event == "phx_reply" && answer.ref == "8" && answer.payload["response"] == [:])
            let diff = try ada.next()
            #expect(diff.event == "presence_diff" && diff.ref == .null && diff.payload["leaves"] == [:])
            let meta = try #require(diff.payload["joins"]?["ada"]?["metas"]?[0])
            #expect(meta["mood"] == "fine")
            let ref = try #require(meta["phx_ref"]?.string)

            let bob = try server.client(version)
            try bob.join("realtime:room", #"{"presence":{"key":"bob"}}"#)
            #expect(try bob.next().payload == ["ada": ["metas": [["mood": "fine", "phx_ref": .string(ref)]]]])

            // A second one replaces the first within one message.
            try ada.track("realtime:room", #"{"mood":"great"}"#)
            #expect(try ada.next().status == "ok")
            let change = try bob.next()
            #expect(change.payload["leaves"] == ["ada": ["metas": [["mood": "fine", "phx_ref": .string(ref)]]]])
            let new = try #require(change.payload["joins"]?["ada"]?["metas"]?[0])
            #expect(new["mood"] == "great" && new["phx_ref_prev"]?.string == ref && new["phx_ref"]?.string != ref)

            // The same again is nothing new.
            #expect(try ada.next().event == "presence_diff")
            try ada.track("realtime:room", #"{"mood":"great"}"#)
            #expect(try ada.next().status == "ok")
            #expect(try bob.isQuiet())

            ada.socket.socket.reset()
            let gone = try bob.next()
            #expect(gone.payload["joins"] == [:] && Self.ref(gone.payload["leaves"]?["ada"]) == new["phx_ref"]?.string)
        }
    }

    @Test func `untracking, leaving and joining anew all end it`() async throws {
        try await withRealtime { server in
            let watcher = try server.client()
            try watcher.join("realtime:room", #"{"presence":{"key":"w","enabled":true}}"#)
            #expect(try watcher.next().event == "presence_state")
            for (index, ending) in ["untrack", "leave", "rejoin"].enumerated() {
                let client = try server.client()
                try client.join("realtime:room", #"{"presence":{"key":"c"}}"#)
                #expect(try client.next().event == "presence_state")
                // As the Python client sends it.
                try client.send("presence", "realtime:room", #"{"event":"track","payload":{"n":\#(index)}}"#, ref: "2")
                #expect(Self.ref(try watcher.next().payload["joins"]?["c"]) != nil)
                switch ending {
                case "untrack": try client.send("presence", "realtime:room", #"{"event":"UNTRACK"}"#, ref: "3")
                case "leave": try client.send("phx_leave", "realtime:room", ref: "3", joinRef: "1")
                default: try client.send("phx_join", "realtime:room", "{}", ref: "3", joinRef: "3")
                }
                let diff = try watcher.next()
                #expect(diff.payload["joins"] == [:] && diff.payload["leaves"]?["c"] != nil)
            }
        }
    }

    @Test func `two sockets with one key are two, and one without is known by a UUID`() async throws {
        try await withRealtime { server in
            let clients = try (0..<2).map { _ in try server.client() }
            for (index, client) in clients.enumerated() {
                try client.join("realtime:room", #"{"presence":{"key":"same","enabled":true}}"#)
                #expect(try client.next().event == "presence_state")
                try client.track("realtime:room", #"{"n":\#(index)}"#)
                // The other's may come in between, as it may be on another loop.
                while try client.next().event != "phx_reply" {}
            }
            let third = try server.client()
            try third.join("realtime:room", #"{"presence":{"key":"","enabled":true}}"#)
            var seen = 0
            while seen < 2 {
                let payload = try third.next().payload
                seen += (payload["joins"] ?? payload)["same"]?["metas"]?.array?.count ?? 0
            }
            #expect(seen == 2)
            try third.track("realtime:room", "{}")
            #expect(try third.next().status == "ok")
            #expect(try third.next().payload["joins"]?.object?.keys.first?.utf8.count == 36)
        }
    }

    @Test func `tracking makes presence known to a channel that had it off`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.join("realtime:room", #"{"presence":{"key":"k","enabled":false}}"#)
            #expect(try client.isQuiet())
            try client.track("realtime:room", "{}")
            #expect(try client.next().event == "presence_state")
            #expect(try client.next().status == "ok")
            #expect(try client.next().event == "presence_diff")
        }
    }

    @Test func `bad calls are answered, and too many end the channel`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.join("realtime:room", #"{"presence":{"key":"k","enabled":true}}"#)
            #expect(try client.next().event == "presence_state")
            try client.track("realtime:room", "[]")
            #expect(try client.next().reason == "Presence track payload must be a map")
            for _ in 0..<4 {
                try client.send("presence", "realtime:room", #"{"event":"dance"}"#, ref: "3")
                #expect(try client.next().status == "error")
            }
            try client.track("realtime:room", "{}")
            #expect(try client.next().payload["message"] == "Client presence rate limit exceeded")
            #expect(try client.next().event == "phx_close")
        }
    }

    @Test func `a room's presence has a size`() async throws {
        try await withRealtime({ $0.maximumPresenceBytes = 200 }) { server in
            let client = try server.client()
            try client.join("realtime:room", #"{"presence":{"key":"k"}}"#)
            #expect(try client.next().event == "presence_state")
            try client.track("realtime:room", #"{"x":"\#(String(repeating: "x", count: 200))"}"#)
            #expect(try client.next().status == "error")
        }
    }

    @Test func `what comes and goes within a change is not told`() {
        var table = PresenceTable()
        let join = PresenceChange.join(key: "k", ref: "1", meta: Array(#"{"phx_ref":"1"}"#.utf8), server: "s")
        let leave = PresenceChange.leave(key: "k", ref: "1")
        #expect(table.apply([join, leave]) == nil)
        #expect(table.apply([join, join]) == Array(#"{"joins":{"k":{"metas":[{"phx_ref":"1"}]}},"leaves":{}}"#.utf8))
        // A server has lost the thread, and tells all again.
        #expect(table.apply([.serverGone("s"), join]) == nil)
        #expect(table.byteCount == 16)
        #expect(table.apply([.serverGone("other")]) == nil)
        #expect(
            table.apply([.serverGone("s")]) == Array(#"{"joins":{},"leaves":{"k":{"metas":[{"phx_ref":"1"}]}}}"#.utf8)
        )
        #expect(table.isEmpty && table.byteCount == 0)
    }
}
