/// What a client wants to be told.
package struct ChangeRequest: Sendable, Equatable {
    /// Goes back to the client with each change that matches.
    package var id: Int
    /// `*`, `INSERT`, `UPDATE` or `DELETE`.
    package var event: String
    package var schema: String
    /// nil for all tables of the schema.
    package var table: String?
    package var filter: String?
    /// nil for all columns.
    package var select: [String]?

    package init(
        id: Int = 1,
        event: String = "*",
        schema: String = "public",
        table: String? = nil,
        filter: String? = nil,
        select: [String]? = nil
    ) {
        self.id = id
        self.event = event
        self.schema = schema
        self.table = table
        self.filter = filter
        self.select = select
    }
}

/// A request whose table, columns and values have been found to exist.
struct BoundRequest: Sendable {
    let id: Int
    let events: Set<ChangeKind>
    /// nil for all.
    let schema: String?
    let table: String?
    let filter: BoundFilter
    let select: [String]?

    func concerns(_ facts: TableFacts) -> Bool {
        (schema == nil || schema == facts.schema) && (table == nil || table == facts.name)
    }
}

/// What a change is to one client: a row that leaves its sight is deleted.
enum ChangeKind: String, CaseIterable, Sendable {
    case insert = "INSERT"
    case update = "UPDATE"
    case delete = "DELETE"
}

/// What a subscriber is given, in order.
package enum ChangeDelivery: Sendable {
    /// The ids of all requests that match, and the change as JSON.
    case change(ChangePosition, kind: String, ids: [Int], data: [UInt8])
    /// What was between the last position and this one is lost: the client must read its rows anew.
    case reset(ChangePosition)
}
