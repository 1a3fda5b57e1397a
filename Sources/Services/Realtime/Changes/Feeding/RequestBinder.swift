import SwiftletJSON
import SwiftletPostgres

/// Finds the tables and columns that requests name, and reads the values of their filters.
struct RequestBinder: Sendable {
    /// Of one subscription.
    static let maximumRequests = 100

    let database: Database
    let catalog: VisibleTables

    /// Throws ``ChangeRequestError`` for what the client has done wrong.
    func bind(_ requests: [ChangeRequest], for caller: ChangeCaller) async throws -> [BoundRequest] {
        guard requests.count <= Self.maximumRequests else {
            throw ChangeRequestError("Unable to subscribe to changes with given parameters: too many of them")
        }
        var bound: [BoundRequest] = []
        for request in requests { bound.append(try await bind(request, caller)) }
        return bound
    }

    private func bind(_ request: ChangeRequest, _ caller: ChangeCaller) async throws -> BoundRequest {
        let events: Set<ChangeKind>
        if request.event == "*" {
            events = Set(ChangeKind.allCases)
        } else if let kind = ChangeKind(rawValue: request.event.uppercased()) {
            events = [kind]
        } else {
            throw Self.refusal("invalid event \(request.event)")
        }
        let filter = try request.filter.map { text throws(ChangeRequestError) in try ChangeFilter(text) } ?? .none
        guard let name = request.table else {
            guard request.select == nil else {
                throw ChangeRequestError("Column selection is not supported for wildcard subscriptions")
            }
            guard filter.conditions.isEmpty else { throw Self.refusal("a filter needs a table") }
            let schema = request.schema == "*" ? nil : request.schema
            return BoundRequest(id: request.id, events: events, schema: schema, table: nil, filter: .none, select: nil)
        }
        guard let table = try await catalog.table(request.schema, name) else {
            throw Self.refusal("the table \(request.schema).\(name) does not exist")
        }
        let facts = try await catalog.facts(of: caller.role, on: table)
        guard !facts.columns.isEmpty else { throw Self.refusal("no permission to read \(request.schema).\(name)") }
        for column in request.select ?? [] where !facts.columns.contains(column) {
            throw Self.refusal("invalid column for select \(column)")
        }
        var conditions: [BoundFilter.Condition] = []
        for condition in filter.conditions {
            guard facts.columns.contains(condition.column) else {
                throw Self.refusal("invalid column for filter \(condition.column)")
            }
            let values = try await values(of: condition, in: table, request.filter ?? "")
            conditions.append(
                BoundFilter.Condition(column: condition.column, comparison: condition.comparison, values: values)
            )
        }
        return BoundRequest(
            id: request.id,
            events: events,
            schema: table.schema,
            table: table.name,
            filter: BoundFilter(conditions: conditions),
            select: request.select
        )
    }

    /// The values as PostgreSQL reads and prints them for the column, so that `01` finds 1 and any form of a time the
    /// moment.
    private func values(
        of condition: ChangeFilter.Condition,
        in table: TableFacts,
        _ text: String
    ) async throws -> [JSONValue] {
        let schema = table.schema.quotedIdentifier
        let name = table.name.quotedIdentifier
        let column = condition.column.quotedIdentifier
        let statement = Statement(
            """
            SELECT to_jsonb((json_populate_record(
                NULL::\(schema).\(name), json_build_object($1::text, given.value)
            )).\(column)) FROM unnest($2::text[]) AS given (value)
            """,
            isReadOnly: true
        )
        var parameters = Parameters()
        parameters.append(condition.column)
        parameters.append(array: condition.values)
        do {
            return try await run(statement, parameters)
        } catch {
            guard error.kind == .server || error.kind == .invalidParameters else { throw error }
            throw ChangeRequestError.filter(text)
        }
    }

    private func run(_ statement: Statement, _ parameters: Parameters) async throws(PostgresError) -> [JSONValue] {
        let rows = try await database.query(statement, parameters)
        var values: [JSONValue] = []
        for row in 0..<rows.count { values.append(rows.json(row, 0) ?? .null) }
        return values
    }

    private static func refusal(_ reason: String) -> ChangeRequestError {
        ChangeRequestError("Unable to subscribe to changes with given parameters. \(reason)")
    }
}
