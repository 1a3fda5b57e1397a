import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RetryTests {
    private actor Pauses {
        private(set) var seconds: [TimeInterval] = []
        func add(_ pause: TimeInterval) { seconds.append(pause) }
    }

    private struct Item: Codable, Sendable, Equatable {
        let id: String
        var name = "n"
    }

    private static let lost = RecordedTransport.Outcome.failure(URLError(.networkConnectionLost))
    private let read = APIEndpoint(.get, "/api/x", requiresAuth: false)

    private func creation(_ readBack: APIEndpoint.ReadBack = .row) -> APIEndpoint {
        var endpoint = APIEndpoint.create("/api/x", ["name": "n"], id: "7", readBack: readBack)
        endpoint.requiresAuth = false
        return endpoint
    }

    @Test(arguments: [
        RecordedTransport.Outcome.status(502), .status(503), .status(504), lost, .failure(URLError(.timedOut)),
    ])
    func `a read is repeated up to three times`(failure: RecordedTransport.Outcome) async throws {
        let saved = RecordedTransport([failure, failure, failure, .json(#"{"id":"1"}"#)])
        let item: Item? = try? await Clients.make(saved).request(read, as: Item.self)
        #expect(item == nil, "a missing key is no reason to ask again")
        #expect(await saved.requests.count == 4)
        let dead = RecordedTransport([failure])
        await #expect(throws: APIError.self) { try await Clients.make(dead).requestVoid(read) }
        #expect(await dead.requests.count == 4)
    }

    @Test(arguments: [400, 404, 409, 429, 500, 501])
    func `other answers are final`(status: Int) async throws {
        let transport = RecordedTransport([.status(status)])
        await #expect(throws: APIError.self) { try await Clients.make(transport).requestVoid(read) }
        #expect(await transport.requests.count == 1)
    }

    @Test func `a change is sent once, unless it says that it may be repeated`() async throws {
        let transport = RecordedTransport([Self.lost])
        let client = Clients.make(transport)
        var change = APIEndpoint(.patch, "/api/x", requiresAuth: false)
        await #expect(throws: APIError.network) { try await client.requestVoid(change) }
        #expect(await transport.requests.count == 1)
        change.repetition = .safe
        await #expect(throws: APIError.network) { try await client.requestVoid(change) }
        #expect(await transport.requests.count == 5)
    }

    @Test func `the usual pauses are longer than an outage of three seconds, whatever chance does`() async throws {
        for _ in 0..<100 {
            let pauses = Pauses()
            let client = Clients.make(RecordedTransport([Self.lost])) { $0.retry.sleep = { await pauses.add($0) } }
            await #expect(throws: APIError.network) { try await client.requestVoid(read) }
            let seconds = await pauses.seconds.reduce(0, +)
            #expect((3...7).contains(seconds))
        }
    }

    @Test func `pauses grow, vary, and honor what the server asks for`() async throws {
        let pauses = Pauses()
        let transport = RecordedTransport([
            .status(503), .status(503), .status(503, headers: ["Retry-After": "7"]),
            .status(503, headers: ["Retry-After": "900"]), .json("{}"),
        ])
        let client = Clients.make(transport) {
            $0.retry.attempts = 5
            $0.retry.sleep = { await pauses.add($0) }
        }
        try await client.requestVoid(read)
        let seconds = await pauses.seconds
        #expect((0.5...1).contains(seconds[0]))
        #expect((1...2).contains(seconds[1]))
        #expect(seconds[2...] == [7, 30])
    }

    @Test func `a creation whose answer was lost is read back`() async throws {
        let row = #"{"id":"7","name":"n"}"#
        let transport = RecordedTransport([Self.lost, .json("{}", status: 409), .json(row)])
        #expect(try await Clients.make(transport).request(creation()) == Item(id: "7"))
        let requests = await transport.requests
        #expect(requests.map(\.httpMethod) == ["POST", "POST", "GET"])
        #expect(requests[0].httpBody == requests[1].httpBody)
        #expect(requests[0].json["id"] as? String == "7")
        #expect(requests[2].path == "/root/api/x/7")

        let list = #"{"data":[{"id":"6","name":"m"},\#(row)]}"#
        let listed = RecordedTransport([.status(503), .json("{}", status: 409), .json(list)])
        #expect(try await Clients.make(listed).request(creation(.list)) == Item(id: "7"))
    }

    @Test func `a conflict is one when nothing was lost, or when another row is in the way`() async throws {
        let first = RecordedTransport([.json("{}", status: 409), .json(#"{"id":"7","name":"n"}"#)])
        await #expect(throws: APIError.conflict) { try await Clients.make(first).requestVoid(creation()) }
        #expect(await first.requests.count == 1)
        let other = RecordedTransport([Self.lost, .json("{}", status: 409), .status(404)])
        await #expect(throws: APIError.conflict) { try await Clients.make(other).requestVoid(creation()) }
        let listed = RecordedTransport([Self.lost, .json("{}", status: 409), .json("[]")])
        await #expect(throws: APIError.conflict) { try await Clients.make(listed).requestVoid(creation(.list)) }
    }

    @Test func `a cancelled request is cancelled, not lost`() async throws {
        let transport = RecordedTransport([.failure(URLError(.cancelled))])
        await #expect(throws: CancellationError.self) { try await Clients.make(transport).requestVoid(read) }
        #expect(await transport.requests.count == 1)
    }
}
