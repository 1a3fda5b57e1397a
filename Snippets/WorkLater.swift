// Work that outlives the request, calls another service and is retried.

import Swiftlet

private struct Order: Codable, Sendable {
    let number: String
}

private let orderParts = Job("order-parts") { (order: Order, context: Context) in
    let body: JSONValue = ["number": .string(order.number)]
    let response = try await context.http.post("https://parts.example.com/orders", json: body)
    guard response.isSuccess else { throw JobFailure("the supplier answers \(response.status)") }
}

/// Orders that are passed on to the supplier of parts.
public let orders = Function("orders") {
    orderParts
    Post { request, context in
        let order = try request.decode(Order.self)
        try await context.enqueue(orderParts, order)
        return .json(.accepted, ["number": .string(order.number)])
    }
}
