import Foundation
import SwiftletClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which requests have a key, and which are sent again for it.
@Suite struct IdempotencyKeyTests {
    private static let lost = RecordedTransport.Outcome.failure(URLError(.networkConnectionLost))

    private static func keyed(_ method: APIEndpoint.Method = .post) -> APIEndpoint {
        APIEndpoint(method, "/api/x", repetition: .keyed)
    }

    /// The keys of the requests that sending `endpoint` takes.
    private func keys(
        _ endpoint: APIEndpoint,
        _ answers: [RecordedTransport.Outcome],
        change: (inout APIClient.Configuration) -> Void = { _ in }
    ) async throws -> [String?] {
        let transport = RecordedTransport([.json(Clients.session())] + answers)
        let client = Clients.make(transport, change: change)
        try await AuthManager(client: client).login(email: "ada@example.com", password: "p")
        try? await client.requestVoid(endpoint)
        return await transport.requests.dropFirst().map { $0.value(forHTTPHeaderField: "Idempotency-Key") }
    }

    @Test func `changes of functions have one key for all attempts`() async throws {
        for method in [APIEndpoint.Method.post, .patch] {
            let keys = try await keys(Self.keyed(method), [Self.lost, .status(502), .json("{}")])
            #expect(keys.count == 3)
            #expect(keys[0].flatMap { UUID(uuidString: $0) } != nil)
            #expect(Set(keys).count == 1)
        }
        let one = try await keys(APIEndpoint(.post, "/api/x"), [.json("{}")])
        let other = try await keys(APIEndpoint(.post, "/api/x"), [.json("{}")])
        #expect(one != other)
    }

    @Test func `only who says that answers are kept has a request sent again`() async throws {
        for method in [APIEndpoint.Method.post, .patch] {
            for lost in [Self.lost, .failure(URLError(.timedOut)), .status(502)] {
                let keys = try await keys(APIEndpoint(method, "/api/x"), [lost, .json("{}")])
                #expect(keys.map { $0 != nil } == [true])
            }
        }
    }

    @Test func `a key survives that the token is refreshed`() async throws {
        let refreshed = RecordedTransport.Outcome.json(Clients.session(2))
        let keys = try await keys(Self.keyed(), [Self.lost, .status(401), refreshed, .json("{}")])
        #expect(keys.count == 4)
        #expect(keys[2] == nil, "the refresh itself")
        #expect(keys[0] == keys[1] && keys[1] == keys[3])
    }

    @Test func `what no answer is kept of has none, and is sent once`() async throws {
        let file = APIEndpoint.Body.data(Data([1]), contentType: "image/png")
        for endpoint in [
            APIEndpoint(.post, "/api/x", body: file), APIEndpoint(.post, "/storage/v1/bucket"),
            APIEndpoint(.post, "/api/mobile-auth/change", body: .json(["a": 1])),
            APIEndpoint(.post, "/api/x", requiresAuth: false), APIEndpoint(.put, "/api/x"),
            APIEndpoint(.post, "/api/x", repetition: .never),
        ] {
            #expect(try await keys(endpoint, [Self.lost]) == [nil])
        }
        #expect(try await keys(Self.keyed(), [Self.lost]) { $0.sendsIdempotencyKeys = false } == [nil])
    }

    @Test func `a request under way is waited for, and another conflict is final`() async throws {
        let underWay = RecordedTransport.Outcome.json(#"{"code":"IDEMPOTENCY_KEY_IN_FLIGHT"}"#, status: 409)
        #expect(try await keys(Self.keyed(), [underWay, underWay, .json("{}")]).count == 3)
        #expect(try await keys(Self.keyed(), [.json(#"{"code":"TAKEN"}"#, status: 409)]).count == 1)
    }

    @Test func `a server that keeps none is asked once more without, and never again`() async throws {
        let none = RecordedTransport.Outcome.json(#"{"code":"IDEMPOTENCY_UNAVAILABLE"}"#, status: 503)
        for endpoint in [Self.keyed(), APIEndpoint(.post, "/api/x")] {
            let keys = try await keys(endpoint, [none, Self.lost])
            #expect(keys.map { $0 == nil } == [false, true])
        }
    }
}
