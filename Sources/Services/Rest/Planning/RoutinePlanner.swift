import SwiftletHTTP
import SwiftletPostgres

/// Decides what a call of a function answers.
struct RoutinePlanner {
    let call: Call
    let query: RestQuery
    let request: RestRequest
    let catalog: RestCatalog

    private var routine: Routine { call.routine }

    /// The query of a call, with `Range` on top of its own limits. Throws ``RestError``.
    static func query(of request: RestRequest) throws(RestError) -> RestQuery {
        var query = try QueryParser.parse(request.request.query, takesArguments: request.isRead)
        if let range = try request.range {
            query.root.offset = max(query.root.offset ?? 0, range.offset)
            if let limit = range.limit { query.root.limit = min(query.root.limit ?? limit, limit) }
        }
        return query
    }

    /// Throws ``RestError``.
    func plan() throws(RestError) -> RestPlan {
        let rows = try rows
        var ending = MainStatement.Ending(
            form: request.method == .head ? .none : form,
            stripsNulls: request.stripsNulls
        )
        if request.isObject, routine.isTable || routine.returnsSet { ending.checks.append(.one) }
        if let limit = request.preferences.affectedLimit {
            guard routine.returnsSet else { throw .notManyRows }
            ending.checks.append(.atMost(limit))
        }
        let operation = RestPlan.Operation.call(
            call,
            isReadOnly: request.isRead || routine.volatility != .volatile,
            countsAll: request.preferences.count != nil
        )
        return RestPlan(operation, rows, ending)
    }

    private var rows: ReadPlan {
        get throws(RestError) {
            guard case .rows(let relation, _) = routine.result else {
                return ReadPlan(relation: nil, alias: routine.name.name, items: [.all], restriction: Restriction())
            }
            var planner = ReadPlanner(
                catalog,
                query,
                allowsAggregates: catalog.settings.allowsAggregates,
                maximumRows: catalog.settings.maximumRows
            )
            let known = relation.flatMap { catalog.relations[$0] }
            var plan = try planner.plan(known, named: routine.name.name)
            plan.rowType = known?.qualifiedName
            return plan
        }
    }

    private var form: ResultForm {
        switch request.format.content {
        case .handler(let handler): return .handler(handler, isScalar: !routine.isTable)
        case .csv: return routine.result == .void ? .none : .csv
        case .geoJSON where routine.isTable: return .geoJSON
        case .object where routine.isTable: return .object
        default: break
        }
        switch routine.result {
        case .void: return .none
        case .scalar: return routine.returnsSet && !request.isObject ? .values : .value
        case .rows: return routine.returnsSet ? .array : .object
        }
    }
}
