public import Swiftlet

/// Customers, and those who were. What is created here is a customer, whatever the app says of it.
public let customers = Function("customers") {
    customerResource.routes(.list, .create)
    recordResource.routes(.update, .delete)
    recordActivities.routes(.list, .create, at: "/:id/activities")
    get("/:id", customer)
}

private let customerResource = Resource("business_records", scope: .tenant) {
    recordRules()
    only("record_type", "customer", "former_customer")
}

/// By its id, or by its customer number, which people read aloud.
private func customer(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    do {
        return try await recordResource.get(id, context).response()
    } catch let error as APIError where error == .notFound {
        let rows = try await context.database.query(
            "SELECT id::text FROM business_records WHERE tenant_id = \(context.tenant) AND customer_number = \(id)"
        )
        guard let row = rows.first else { throw error }
        return try await recordResource.get(row.decode(String.self, "id"), context).response()
    }
}
