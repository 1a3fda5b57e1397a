import Foundation
import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct ChangeEventsTests {
    /// Takes what a stream writes, until it is told to stop.
    private final class Sink: ResponseSink {
        private let written = Mutex<[UInt8]>([])

        func write(_ bytes: [UInt8]) async throws { written.withLock { $0 += bytes } }

        var text: String { String(decoding: written.withLock(\.self), as: UTF8.self) }

        /// Name, id and data of each event.
        var events: [[String]] {
            text.components(separatedBy: "\n\n").compactMap { block in
                let fields = block.split(separator: "\n").compactMap { line in
                    line.contains(": ") ? line.components(separatedBy: ": ").dropFirst().joined(separator: ": ") : nil
                }
                return fields.count == 3 ? fields : nil
            }
        }
    }

    private func open(
        _ changes: TestChanges,
        _ query: String = "table=todos",
        claims: JSONObject = ["role": "service_role"],
        lastEventID: String? = nil
    ) async throws -> Response {
        var headers = Headers()
        headers.append(.authorization, "Bearer \(try TestApplication.token(claims: claims))")
        if let lastEventID { headers.append("Last-Event-ID", lastEventID) }
        let request = try Request(method: .get, target: "/realtime/v1/changes?\(query)", headers: headers, body: [])
        let application = changes.application.application
        return await Task(executorPreference: changes.application.group.loops[0]) {
            await application.respond(to: request)
        }.value
    }

    /// Runs the stream of a response beside the body.
    private func streaming(
        _ changes: TestChanges,
        _ response: Response,
        _ body: (Sink) async throws -> Void
    ) async throws {
        let stream = try #require(response.stream)
        let sink = Sink()
        let producing = Task(executorPreference: changes.application.group.loops[0]) {
            try await stream.produce(ResponseWriter(sink))
        }
        do { try await body(sink) } catch {
            producing.cancel()
            throw error
        }
        producing.cancel()
        _ = await producing.result
    }

    @Test func `a stream ends with the account of its caller`() async throws {
        try await TestChanges.with { changes async throws in
            let ada = "00000000-0000-4000-8000-0000000000ad"
            let response = try await open(changes, claims: ["role": "service_role", "sub": .string(ada)])
            let stream = try #require(response.stream)
            let sink = Sink()
            let streaming = Task(executorPreference: changes.application.group.loops[0]) {
                try await stream.produce(ResponseWriter(sink))
            }
            #expect(try await eventually { sink.text.contains("event: ready") })
            let owner = try #require(TokenOwner(ada))
            changes.verifier.refuseTokens(of: [owner])
            try changes.execute("INSERT INTO todos (id, title) VALUES (1, 'secret')")
            try await streaming.value
            #expect(!sink.text.contains("secret"))
        }
    }

    @Test func `changes come as events, whose last id brings what was missed`() async throws {
        try await TestChanges.with { changes async throws in
            let first = try await open(changes)
            #expect(first.status == .ok)
            #expect(first.headers["Content-Type"] == "text/event-stream")
            var last = ""
            try await streaming(changes, first) { sink async throws in
                try changes.execute("INSERT INTO todos VALUES (1, 'a', E'two\\nlines')")
                #expect(try await eventually(within: .seconds(60)) { sink.events.count == 2 })
                let events = sink.events
                #expect(events.map { $0[0] } == ["ready", "INSERT"])
                let data = try JSONParser.parse(Array(events[1][2].utf8))
                #expect(data["record"]?["title"] == "two\nlines")
                #expect(data["pos"]?.string == events[1][1])
                last = events[1][1]
            }
            try changes.execute(
                "INSERT INTO todos VALUES (2); UPDATE todos SET done = true WHERE id = 2; DELETE FROM todos WHERE id = 1"
            )
            try await streaming(changes, try await open(changes, lastEventID: last)) { sink async throws in
                #expect(try await eventually(within: .seconds(60)) { sink.events.count == 4 })
                #expect(sink.events.map { $0[0] } == ["ready", "INSERT", "UPDATE", "DELETE"])
                #expect(sink.events[0][1] == last)
            }
            try await streaming(changes, try await open(changes, "table=todos&since=\(last)&event=DELETE")) {
                sink async throws in
                #expect(try await eventually(within: .seconds(60)) { sink.events.count == 2 })
                #expect(sink.events.map { $0[0] } == ["ready", "DELETE"])
            }
            let isLeft = try await eventually { changes.hub.counts.subscribers == 0 }
            #expect(isLeft)
        }
    }

    @Test func `a position that is none, or too old, and a table that is not there are refused`() async throws {
        try await TestChanges.with { changes async throws in
            #expect(try await open(changes, lastEventID: "nonsense").status == .badRequest)
            let old = ChangePosition(epoch: 1, commit: .zero, index: 0).description
            let gone = try await open(changes, lastEventID: old)
            #expect(gone.status == .gone)
            #expect(gone.text.contains("CURSOR_EXPIRED"))
            #expect(try await open(changes, "table=nothing").status == .notFound)
            #expect(try await open(changes, "").status == .badRequest)
            #expect(try await open(changes, "table=todos&filter=id=eq.x").status == .badRequest)
            let nobody = try await changes.application.send(.get, "/realtime/v1/changes?table=todos")
            #expect(nobody.status == .unauthorized)
        }
    }

    @Test func `when the slot is lost an event says so`() async throws {
        try await TestChanges.with { changes async throws in
            try await streaming(changes, try await open(changes)) { sink async throws in
                #expect(try await eventually { sink.events.count == 1 })
                try changes.execute("UPDATE swiftlet.change_stream SET floor_lsn = NULL")
                try changes.killReader()
                #expect(try await eventually(within: .seconds(60)) { sink.events.count == 2 })
                #expect(sink.events[1][0] == "reset")
            }
        }
    }
}
