import Foundation
import SwiftletClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the client carries for servers that read from replicas.
@Suite struct PositionTests {
    private static let field = "X-Swiftlet-Position"

    private static func position(_ number: Int) -> String { String(format: "00000001%016x.signature", number) }

    private static func answer(_ number: Int?, status: Int = 200) -> RecordedTransport.Outcome {
        .response(status: status, headers: number.map { [field: position($0)] } ?? [:], body: Data("{}".utf8))
    }

    private static func get() -> APIEndpoint { APIEndpoint(.get, "/x", requiresAuth: false) }
    private static func post() -> APIEndpoint { APIEndpoint(.post, "/x", requiresAuth: false) }

    private func carried(
        _ answers: [RecordedTransport.Outcome],
        _ endpoints: [APIEndpoint]
    ) async -> [String?] {
        let transport = RecordedTransport(answers)
        let client = Clients.make(transport)
        for endpoint in endpoints { try? await client.requestVoid(endpoint) }
        return await transport.requests.map { $0.value(forHTTPHeaderField: Self.field) }
    }

    @Test func `carries what the last write has told`() async {
        let answers = [Self.answer(1), Self.answer(nil), Self.answer(5), Self.answer(4), Self.answer(nil)]
        let seen = await carried(answers, [Self.get(), Self.get(), Self.post(), Self.get(), Self.get()])
        #expect(seen == ["new", Self.position(1), Self.position(1), Self.position(5), Self.position(5)])
    }

    @Test func `knows nothing after a write whose answer says nothing, or was lost`() async {
        for lost in [Self.answer(nil), .status(503), .failure(URLError(.networkConnectionLost))] {
            let seen = await carried(
                [Self.answer(1), lost, Self.answer(9), Self.answer(nil)],
                [Self.get(), Self.post(), Self.get(), Self.get()]
            )
            #expect(seen == ["new", Self.position(1), "new", Self.position(9)])
        }
    }

    @Test func `an answer from before a lost write tells nothing`() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let started = AsyncStream.makeStream(of: Void.self)
        let calls = Mutex(0)
        let transport = RecordedTransport { request in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard call == 1 else {
                return request.httpMethod == "POST" ? .failure(URLError(.networkConnectionLost)) : Self.answer(nil)
            }
            started.continuation.finish()
            for await _ in gate.stream {}
            return Self.answer(1)
        }
        let client = Clients.make(transport)
        async let first: Void = client.requestVoid(Self.get())
        for await _ in started.stream {}
        try? await client.requestVoid(Self.post())
        gate.continuation.finish()
        try await first
        try await client.requestVoid(Self.get())
        #expect(await transport.requests.last?.value(forHTTPHeaderField: Self.field) == "new")
    }
}
