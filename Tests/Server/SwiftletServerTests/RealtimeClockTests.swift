import Foundation
import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// Changes what the C library says of the time.
private let faketime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"

/// Servers whose machines have other times than PostgreSQL's, and than each other.
@Suite(
    .needsDatabase,
    .enabled(if: FileManager.default.fileExists(atPath: faketime), "install libfaketime"),
    .hangLimit
)
struct RealtimeClockTests {
    private let served: ServedChanges

    init() throws { served = try ServedChanges() }

    private func environment(_ offset: String) -> [String: String] {
        let faked = [
            "LD_PRELOAD": faketime, "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            // Otherwise it changes the environment, behind which Swift finds the arguments.
            "FAKETIME_SHARED": "/swiftlet-none /swiftlet-none",
        ]
        return served.environment.merging(faked) { $1 }
    }

    /// A socket in the room, which follows the ticks.
    private func socket(_ port: Int, since position: String? = nil) async throws -> WebSocketClient {
        let token = try ServedChanges.token()
        let replay = position.map { #","replay":{"since":"\#($0)"}"# } ?? ""
        return try await blocking {
            Result {
                let client = try WebSocketClient(port: port, path: "/realtime/v1/websocket?apikey=\(token)&vsn=1.0.0")
                let config = #"{"postgres_changes":[{"event":"*","schema":"public","table":"ticks"}]\#(replay)}"#
                try client.send(
                    #"{"topic":"realtime:room","event":"phx_join","payload":{"config":\#(config)},"ref":"1","join_ref":"1"}"#
                )
                let joined = try Self.next(client, "phx_reply")
                #expect(joined["status"] == "ok", "\(joined)")
                return client
            }
        }.get()
    }

    /// The payload of the next message of that event.
    private static func next(_ client: WebSocketClient, _ event: String) throws -> JSONValue {
        while true {
            guard case .text(let text) = try client.next() else { continue }
            let message = try JSONParser.parse(Array(text.utf8))
            if message["event"]?.string == event { return message["payload"] ?? .null }
        }
    }

    private func change(_ client: WebSocketClient) async throws -> JSONValue {
        try await blocking { Result { try Self.next(client, "postgres_changes")["data"] ?? .null } }.get()
    }

    /// Whether what one says is heard by the other.
    private func areHeard(_ speaker: WebSocketClient, by listener: WebSocketClient) async throws -> Bool {
        try await eventually(within: .seconds(60)) {
            try await blocking {
                Result {
                    try speaker.send(
                        #"{"topic":"realtime:room","event":"broadcast","ref":"2","payload":{"type":"broadcast","event":"x","payload":{}}}"#
                    )
                    try listener.send(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"3"}"#)
                    while case .text(let text) = try listener.next() {
                        if text.contains(#""broadcast""#) { return true }
                        if text.contains(#""phoenix""#) { return false }
                    }
                    return false
                }
            }.get()
        }
    }

    @Test func `servers whose clocks are off by hours hear each other, and tell each change once`() async throws {
        let database = try BlockingConnection.connect(to: served.url)
        try database.execute("CREATE TABLE ticks (id int PRIMARY KEY); GRANT SELECT ON ticks TO service_role")
        #expect(
            try await SwiftletProcess.run(["realtime", "add", "ticks"], in: served.folder, environment("+2h")).status
                == 0
        )
        let (early, earlyPort) = try await served.serveReading(environment("+2h"))
        let (late, latePort) = try await served.serveReading(environment("-2h"))
        let (ada, bob) = (try await socket(earlyPort), try await socket(latePort))
        #expect(try await areHeard(ada, by: bob))
        #expect(try await areHeard(bob, by: ada))

        try database.execute("INSERT INTO ticks VALUES (1)")
        let first = try await change(bob)
        let position = try #require(first["pos"]?.string)
        #expect(try await change(ada)["pos"]?.string == position)
        // The time is PostgreSQL's.
        let committed = try #require(first["commit_timestamp"]?.string)
        let age = try database.query("SELECT extract(epoch FROM clock_timestamp() - '\(committed)'::timestamptz)::int")
        #expect((0...120).contains(Int(age[0][0] ?? "") ?? -1), "\(age)")

        // Whichever reads: the other goes on at the same positions.
        early.send(SIGKILL)
        _ = try await early.end()
        try database.execute("INSERT INTO ticks VALUES (2)")
        let second = try await change(bob)
        #expect(second["record"]?["id"] == 2)
        let (again, port) = try await served.serveReading(environment("+2h"))
        let missed = try await change(try await socket(port, since: position))
        #expect(missed["record"]?["id"] == 2)
        #expect(missed["pos"] == second["pos"])
        for process in [late, again] {
            process.send(SIGTERM)
            #expect(try await process.end() == 0)
        }
    }
}
