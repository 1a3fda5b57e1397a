import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletRealtime

/// Servers on one database.
@Suite(.needsDatabase, .hangLimit)
struct SeveralServersTests {
    private func withServers(
        _ body: @escaping @Sendable (TestRealtime, TestRealtime) async throws -> Void
    ) async throws {
        let first = try await TestRealtime.start()
        let second = try await TestRealtime.start(databaseURL: first.databaseURL)
        do {
            let haveMet = try await eventually { first.realtime.peerCount == 1 && second.realtime.peerCount == 1 }
            #expect(haveMet)
            try await body(first, second)
        } catch {
            await second.stop()
            await first.stop()
            throw error
        }
        await second.stop()
        await first.stop()
    }

    @Test func `broadcasts of every kind and size reach clients of the other server, in order`() async throws {
        try await withServers { first, second in
            try await onThread {
                let sender = try first.client("2.0.0")
                try sender.join("realtime:room")
                let receiver = try second.client("2.0.0")
                try receiver.join("realtime:room")
                for number in 0..<50 { try sender.broadcast("realtime:room", "x", #"{"n":\#(number)}"#) }
                let large = String(repeating: "é", count: 50_000)
                try sender.broadcast("realtime:room", "large", #"{"text":"\#(large)"}"#)
                try sender.broadcast("realtime:room", "last", "{}")
                for number in 0..<50 { #expect(try receiver.next().payload["payload"]?["n"]?.int == number) }
                #expect(try receiver.next().payload["payload"]?["text"]?.string == large)
                #expect(try receiver.next().payload["event"] == "last")
                let head: [UInt8] = [3, 1, 1, 13, 1, 0, 0]
                try sender.socket.send(
                    ClientFrame(first: 0x82, payload: head + Array("11realtime:roome".utf8) + [0, 255])
                )
                #expect(
                    try receiver.socket.next() == .binary([4, 13, 1, 0, 0] + Array("realtime:roome".utf8) + [0, 255])
                )
                #expect(try sender.isQuiet())
            }
        }
    }

    @Test func `notifications that no server has signed, or that come again, are not taken`() async throws {
        try await withServers { first, second in
            // Whoever may connect hears what servers say, and may say the same.
            let texts = Mutex<[String]>([])
            let listening = first.database.listen(to: "swiftlet_realtime") { text in
                if let text { texts.withLock { $0.append(text) } }
            }
            try await onThread {
                let sender = try first.client()
                try sender.join("realtime:room")
                let receiver = try second.client()
                try receiver.join("realtime:room")
                var said: String?
                var number = 0
                // Until the spy listens too.
                _ = try soon {
                    number += 1
                    try sender.broadcast("realtime:room", "x", #"{"n":\#(number)}"#)
                    #expect(try receiver.next().payload["payload"]?["n"]?.int == number)
                    said = texts.withLock { $0.last { $0.contains(#""n":"#) } }
                    return said != nil
                }
                let text = try #require(said)
                let unsigned = text.split(separator: ".", maxSplits: 2).last.map(String.init) ?? ""
                #expect(unsigned.hasPrefix("{"))
                for forged in [text, text.replacing(#""n":"#, with: #""n":9"#), unsigned, "x.1.\(unsigned)"] {
                    try first.execute("SELECT pg_notify('swiftlet_realtime', '\(forged)')")
                }
                try sender.broadcast("realtime:room", "x", #"{"n":-1}"#)
                #expect(try receiver.next().payload["payload"]?["n"] == -1)
            }
            listening?.close()
        }
    }

    @Test func `what the database sends comes once on every server`() async throws {
        try await withServers { first, second in
            try await onThread {
                let clients = [try first.client(), try second.client()]
                for client in clients { try client.join("realtime:room") }
                try first.execute("SELECT realtime.send('{}', 'made', 'room', false)")
                for client in clients { #expect(try client.next().payload["event"] == "made") }
                for client in clients { #expect(try client.isQuiet()) }
            }
        }
    }

    @Test func `presence is one over all servers, and goes with its server`() async throws {
        let first = try await TestRealtime.start()
        let config = #"{"presence":{"key":"ada","enabled":true}}"#
        let ada = try await onThread {
            let ada = try first.client()
            try ada.join("realtime:room", config)
            #expect(try ada.next().event == "presence_state")
            try ada.track("realtime:room", #"{"n":1}"#)
            #expect(try ada.next().status == "ok")
            #expect(try ada.next().event == "presence_diff")
            return ada
        }
        // A server that comes later learns who is there.
        let second = try await TestRealtime.start(databaseURL: first.databaseURL)
        let haveMet = try await eventually { first.realtime.peerCount == 1 && second.realtime.peerCount == 1 }
        #expect(haveMet)
        let bob = try await onThread {
            let bob = try second.client()
            try bob.join("realtime:room", #"{"presence":{"key":"bob","enabled":true}}"#)
            var state = try bob.next()
            if state.payload["ada"] == nil { state = try bob.next() }
            #expect(state.payload["ada"] != nil || state.payload["joins"]?["ada"] != nil)
            try bob.track("realtime:room", "{}")
            #expect(try bob.next().status == "ok")
            #expect(try bob.next().payload["joins"]?["bob"] != nil)
            #expect(try ada.next().payload["joins"]?["bob"] != nil)
            return bob
        }
        await first.stop()
        let gone = try await onThread { try bob.next() }
        #expect(gone.event == "presence_diff" && gone.payload["leaves"]?["ada"] != nil)
        let isAlone = try await eventually { second.realtime.peerCount == 0 }
        #expect(isAlone)
        await second.stop()
    }

    @Test func `a server that falls silent is given up`() async throws {
        func beatFast(_ settings: inout RealtimeSettings) {
            settings.beatInterval = .milliseconds(100)
            settings.silenceLimit = .seconds(1)
        }
        let first = try await TestRealtime.start(beatFast)
        let second = try await TestRealtime.start(databaseURL: first.databaseURL, beatFast)
        let haveMet = try await eventually { first.realtime.peerCount == 1 && second.realtime.peerCount == 1 }
        #expect(haveMet)
        second.crash()
        let isAlone = try await eventually(within: .seconds(60)) { first.realtime.peerCount == 0 }
        #expect(isAlone)
        await second.stop()
        await first.stop()
    }
}
