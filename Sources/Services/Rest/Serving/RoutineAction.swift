import SwiftletPostgres
import SwiftletHTTP
import SwiftletJSON

/// A call of a function.
struct RoutineAction {
    let call: Call
    let query: RestQuery
    let transaction: RestTransaction

    var request: RestRequest { transaction.request }
    var settings: RestSettings { transaction.settings }
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

    func run() async throws(RestError) -> Response {
        var plan = try plan()
        let shape: ResponseShape = request.method == .head ? .none : shape()
        plan.printsRows = shape.printsRows
        var ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        if request.isObject, routine.isTable || routine.returnsSet { ending.checks.append(.one) }
        if let limit = request.preferences.affectedLimit {
            guard routine.returnsSet else { throw .notManyRows }
            ending.checks.append(.atMost(limit))
        }
        let isReadOnly = request.isRead || routine.volatility != .volatile
        let main = MainStatement.call(
            call,
            plan,
            ending,
            countsAll: request.preferences.count != nil,
            isReadOnly: isReadOnly
        )
        if case .plan(_, let options) = request.format {
            var response = Response(status: .ok, body: try await transaction.explain(main, options))
            response.headers.append(.contentType, request.contentType)
            return response
        }
        let answer = try await transaction.run(transaction.call(main), isReadOnly: isReadOnly)
        return try response(to: answer, plan, shape)
    }

    private func response(
        to answer: RestTransaction.Answer,
        _ plan: ReadPlan,
        _ shape: ResponseShape
    ) throws(RestError) -> Response {
        let applied: [AppliedPreference] = [.count, .ending, .handling, .timeZone, .maximumAffected]
        let names = applied.compactMap {
            $0.text(request.preferences, isEndingOverridable: settings.ending.isOverridable)
        }
        if routine.result == .void, request.method != .head {
            return try RestResponse(request: request).response(
                .noContent,
                answer,
                .none,
                contentRange: nil,
                applied: names
            )
        }
        let offset = plan.restriction.offset ?? 0
        if let total = answer.total, offset > total { throw .offsetTooLarge(offset, of: total) }
        let isPart = answer.total.map { answer.count < $0 } ?? false
        return try RestResponse(request: request).response(
            isPart ? 206 : .ok,
            answer,
            shape,
            contentRange: RestResponse.contentRange(offset: offset, count: answer.count, total: answer.total),
            applied: names
        )
    }

    private func plan() throws(RestError) -> ReadPlan {
        guard case .rows(let relation, _) = routine.result else {
            return ReadPlan(relation: nil, alias: routine.name.name, items: [.all], restriction: Restriction())
        }
        var planner = ReadPlanner(
            transaction.catalog,
            query,
            allowsAggregates: settings.allowsAggregates,
            maximumRows: settings.maximumRows
        )
        let known = relation.flatMap { transaction.catalog.relations[$0] }
        var plan = try planner.plan(known, named: routine.name.name)
        plan.rowType = known?.qualifiedName
        return plan
    }

    private func shape() -> ResponseShape {
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
