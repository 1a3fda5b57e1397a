import SwiftletServer

/// Orders of a shop, which tells of them by a webhook, and the warehouse that is told.
let orders = Function("orders") {
    Post("/webhook", receive).checkedByHandler()
    tellWarehouse
}

enum ShopKey: ContextKey {
    static let defaultValue = ""
}

enum WarehouseURL: ContextKey {
    static let defaultValue = "https://warehouse.example.com/orders"
}

struct Order: Codable, Sendable {
    let id: String
    let total: Double
}

/// The order is stored as a job before the shop is answered, and one that comes twice waits once.
private func receive(_ request: Request, _ context: Context) async throws -> Response {
    let key = context[ShopKey.self]
    guard !key.isEmpty, request.header("X-Shop-Key") == key else { throw APIError.unauthorized }
    let order = try request.decode(Order.self)
    try await context.enqueue(tellWarehouse, order, key: "order:\(order.id)")
    return .success
}

/// Repeated until the warehouse has it.
private let tellWarehouse = Job("tell-warehouse") { (order: Order, context: Context) in
    let database = try context.databaseAcrossTenants
    _ = try await database.query(
        "INSERT INTO orders (id, total) VALUES (\(order.id), \(order.total)) ON CONFLICT (id) DO NOTHING"
    )
    let untold = try await database.query("SELECT id FROM orders WHERE id = \(order.id) AND told_at IS NULL")
    guard !untold.isEmpty else { return }
    let answer = try await context.http.post(context[WarehouseURL.self], json: order)
    guard answer.isSuccess else { throw APIError(.badGateway, "WAREHOUSE_ASLEEP", "It answers \(answer.status)") }
    _ = try await database.query("UPDATE orders SET told_at = now() WHERE id = \(order.id)")
}
.acrossTenants()
.attempting(10, delay: .milliseconds(50))
