import Synchronization
import SwiftletServer
import SwiftletTesting
import Testing

@testable import Webhooks

@Suite struct OrdersTests {
    /// A warehouse that is asleep at first.
    private final class Warehouse: Sendable {
        let heard = Mutex<[String]>([])

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            let count = heard.withLock { heard in
                heard.append(String(decoding: request.body, as: UTF8.self))
                return heard.count
            }
            return HTTPResponse(status: count == 1 ? 503 : 200)
        }
    }

    @Test func `an order that comes twice is told once, when the warehouse is awake`() async throws {
        let warehouse = Warehouse()
        var values = ContextValues()
        values[ShopKey.self] = "secret"
        values[HTTPOverride.self] = { warehouse.answer($0) }
        try await TestBackend.with(functions: Backend().functions, values: values) { backend in
            let order = #"{"id":"A-1","total":12.5}"#
            for _ in 1...2 {
                let answer = try await backend.send(
                    .post,
                    "/orders/webhook",
                    headers: [("X-Shop-Key", "secret")],
                    body: Array(order.utf8)
                )
                #expect(answer.status == .ok)
            }
            try await backend.finishJobs()
            #expect(warehouse.heard.withLock { $0.count } == 2)
        }
    }

    @Test func `nobody else makes orders`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let refused = try await backend.send(.post, "/orders/webhook", #"{"id":"A-1","total":1}"#)
            #expect(refused.status == .unauthorized)
        }
    }
}
