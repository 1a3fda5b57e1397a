import Foundation
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletClient
@testable import SwiftletSync

/// The store against a server of which every answer is written here.
@Suite(.hangLimit)
struct ExchangeTests {
    private static let id = UUID()
    private static let row = #"{"id":"\#(id.uuidString.lowercased())","team":"a","title":"one","rank":null}"#
    private static let oneRow = #"""
        {"cursor":"c","more":false,"tables":{"notes":{"reset":false,"complete":false,"upsert":[\#(row)],"delete":[]}}}
        """#

    /// The client that a scripted answer signs somebody else in with.
    private final class Phone: Sendable {
        private let client = Mutex<APIClient?>(nil)

        func set(_ client: APIClient) { self.client.withLock { $0 = client } }

        func signIn(_ user: String) async throws {
            let session = try JSONDecoder().decode(Session.self, from: Data(ScriptedServer.session(user).utf8))
            try await client.withLock(\.self)?.keeper.begin(session)
        }
    }

    enum Moment: CaseIterable, Sendable {
        case push, taken, pull
    }

    @Test(arguments: Moment.allCases)
    func `nothing is sent as another, whenever that one signs in`(_ moment: Moment) async throws {
        let folder = try StoreFolder()
        let phone = Phone()
        let server = ScriptedServer { asked, number in
            if asked.kind == .push {
                if moment != .pull { try await phone.signIn("bob") }
                guard moment == .taken else { return (200, asked.allApplied) }
                return (409, #"{"code":"SYNC_CLIENT_TAKEN","message":"taken"}"#)
            }
            try await phone.signIn("bob")
            return (200, Self.oneRow.replacing("false,\"tables\"", with: "\(number < 9),\"tables\""))
        }
        let client = try server.client("ada")
        phone.set(client)
        let store = try folder.store(client)
        try await store.insert(Note(id: Self.id, team: "a", title: "mine"), into: "notes")
        await #expect(throws: SyncedByAnotherUser.self) { try await store.synchronize() }
        let first = await server.asked
        #expect(first.map(\.token) == first.map { _ in "Bearer ada" })
        #expect(first.count == (moment == .pull ? 2 : 1))
        await #expect(throws: SyncedByAnotherUser.self) { try await store.synchronize() }
        #expect(await server.asked.count == first.count)
        if moment == .pull { #expect(try await store.current("notes", as: Note.self).isEmpty) }
        // Whose they are sends them again, and with the same numbers.
        try await phone.signIn("ada")
        if moment == .taken {
            #expect(try await store.pendingChanges == 1)
            #expect(first.first?.ids == [1])
        }
    }

    /// A stream that a cancelled task has waited for is over, so that the store went round and round.
    @Test func `a store that follows asks no more than it must`() async throws {
        let folder = try StoreFolder()
        let server = ScriptedServer { asked, number in
            switch asked.kind {
            case .push: return (200, asked.allApplied)
            case .pull: return (200, ScriptedServer.nothingNew)
            case .wait:
                // The first time that it waits is over without anything new.
                if number > 2 { try await Task.sleep(for: .seconds(3600)) }
                return (204, "")
            }
        }
        let store = try folder.store(try server.client("ada"))
        let running = Task { await store.run() }
        #expect(try await eventually { await server.count(.wait) >= 2 })
        for number in 1...5 {
            try await store.insert(Note(team: "a", title: "\(number)"), into: "notes")
            let isSent = try await eventually {
                let (pushes, waits) = (await server.count(.push), await server.count(.wait))
                return pushes >= number && waits >= number + 2
            }
            #expect(isSent)
        }
        #expect(await server.cancelled <= 5)
        #expect(await server.count(.pull) == 7)
        running.cancel()
        await running.value
    }

    @Test func `a cursor that is refused as soon as it is given is an error`() async throws {
        let folder = try StoreFolder()
        let server = ScriptedServer { asked, number in
            // So that the test ends if the store does not.
            if number > 20 { throw URLError(.notConnectedToInternet) }
            if asked.since != nil { return (400, #"{"code":"INVALID_CURSOR","message":"none"}"#) }
            return (200, Self.oneRow.replacing("false,\"tables\"", with: "true,\"tables\""))
        }
        let store = try folder.store(try server.client("ada"))
        for round in 1...2 {
            await #expect(throws: APIError.self) { try await store.synchronize() }
            #expect(await server.asked.map { $0.since == nil } == (1...round).flatMap { _ in [true, false] })
        }
    }

    @Test func `a change that was refused leaves the row, unless the answer says that it is gone`() async throws {
        let folder = try StoreFolder()
        let server = ScriptedServer { asked, number in
            guard asked.kind == .push, let id = asked.ids.first else { return (200, Self.oneRow) }
            let row = number > 3 ? #","row":null"# : ""
            return (200, #"{"results":[{"id":\#(id),"status":"rejected","code":"42P01","message":""\#(row)}]}"#)
        }
        let store = try folder.store(try server.client("ada"))
        try await store.synchronize()
        try await store.update("notes", SyncKey(Self.id), set: ["title": "two"])
        let (before, seen) = (await server.asked.count, try await store.current("notes", as: Note.self))
        #expect(before == 1 && seen.map(\.title) == ["two"])
        try await store.synchronize()
        #expect(try await store.current("notes", as: Note.self).map(\.title) == ["one"])
        #expect(try await store.conflicts.first?.present(as: Note.self)?.title == "one")
        try await store.update("notes", SyncKey(Self.id), set: ["title": "three"])
        try await store.synchronize()
        #expect(try await store.conflicts.last?.present(as: Note.self) == nil)
    }

    @Test func `what is nested too deep for the server is not taken`() async throws {
        let folder = try StoreFolder()
        let server = ScriptedServer { _, _ in (200, ScriptedServer.nothingNew) }
        let store = try folder.store(try server.client("ada"))
        indirect enum Nested: Encodable {
            case end
            case list(Nested)

            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                if case .list(let inner) = self { try list.encode(inner) }
            }
        }
        func nested(_ depth: Int) -> Nested { (1..<depth).reduce(.end) { inner, _ in .list(inner) } }
        // Within the change and its values.
        try await store.update("notes", SyncKey(Self.id), set: ["title": nested(60)])
        await #expect(throws: APIError.self) {
            try await store.update("notes", SyncKey(Self.id), set: ["title": nested(61)])
        }
        #expect(try await store.pendingChanges == 1)
    }
}
