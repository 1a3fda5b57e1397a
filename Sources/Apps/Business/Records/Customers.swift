public import Swiftlet

/// Customers, and those who were. What is created here is a customer, whatever the app says of it.
public let customers = Function("customers") {
    customerResource.routes(.list, .create)
    recordResource.routes(.update, .delete)
    recordActivities.routes(.list, .create, at: "/:id/activities")
    Get("/:id", customer).answering(recordResource.rowSchema)
}

private let customerResource = Resource("business_records", scope: .tenant) {
    recordRules()
    Only("record_type", "customer", "former_customer")
}

/// Gets a customer by its id, or by its customer number, which people read aloud.
private func customer(_ request: Request, _ context: Context) async throws -> Response {
    let name = context.parameters["id"]
    do {
        return try await recordResource.get(name, in: context).response()
    } catch let error as APIError where error == .notFound {
        guard let id = try await id(ofNumber: name, context) else { throw error }
        return try await recordResource.get(id, in: context).response()
    }
}

/// nil if the tenant has no such customer, or the database no numbers.
private func id(ofNumber number: String, _ context: Context) async throws -> String? {
    do {
        let rows = try await context.database.query(
            """
            SELECT id::text FROM business_records
            WHERE tenant_id = \(context.tenant) AND customer_number = \(number)
            """
        )
        return try rows.first?.decode(String.self, "id")
    } catch let error as PostgresError where lackOfNumbers.contains(error.state) {
        return nil
    }
}

/// There is no such table or column, or it holds numbers that this is none of.
private let lackOfNumbers: [SQLState] = [.undefinedTable, .undefinedColumn, .invalidTextRepresentation]
