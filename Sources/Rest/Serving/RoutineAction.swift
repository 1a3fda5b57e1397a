import HTTP
import JSON

/// A call of a function.
struct RoutineAction {
    let name: QualifiedName
    let transaction: RestTransaction

    var request: RestRequest { transaction.request }
    var settings: RestSettings { transaction.settings }

    func call() async throws(RestError) -> Response {
        var query = try QueryParser.parse(request.request.query, takesArguments: request.isRead)
        if let range = try request.range {
            query.root.offset = max(query.root.offset ?? 0, range.offset)
            if let limit = range.limit { query.root.limit = min(query.root.limit ?? limit, limit) }
        }
        let call = try RoutineSearch(catalogue: transaction.catalogue, name: name).call(request, query)
        let routine = call.routine
        let plan = try plan(query, routine)
        let shape: AnswerShape = request.method == .head ? .none : try shape(routine)
        var ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        if request.isObject, case .rows = routine.result { ending.checks.append(.one) }
        if let limit = request.preferences.affectedLimit, routine.returnsSet { ending.checks.append(.atMost(limit)) }
        let isReadOnly = request.isRead || routine.volatility != .volatile
        var main = MainStatement.call(
            call,
            plan,
            ending,
            countsAll: request.preferences.count != nil,
            isReadOnly: isReadOnly
        )
        main.isReadOnly = isReadOnly
        if case .plan(let options) = request.format {
            var response = Response(status: .ok, body: try await transaction.explain(main, options))
            let type = options.isText ? "text" : "json"
            response.headers.append(.contentType, "application/vnd.pgrst.plan+\(type); charset=utf-8")
            return response
        }
        return try response(
            to: try await transaction.run(transaction.call(main), isReadOnly: main.isReadOnly),
            routine,
            plan,
            shape
        )
    }

    private func response(
        to answer: RestTransaction.Answer,
        _ routine: Routine,
        _ plan: ReadPlan,
        _ shape: AnswerShape
    ) throws(RestError) -> Response {
        let applied: [AppliedPreference] = [.count, .ending, .handling, .maximumAffected]
        let names = applied.compactMap { $0.text(request.preferences, allowsRollback: settings.allowsRollback) }
        if routine.result == .void, request.method != .head {
            return try RestAnswer(request: request).response(
                .noContent,
                answer,
                .none,
                contentRange: nil,
                applied: names
            )
        }
        let offset = plan.restriction.offset ?? 0
        let isPart = answer.total.map { answer.count < $0 } ?? false
        return try RestAnswer(request: request).response(
            isPart ? 206 : .ok,
            answer,
            shape,
            contentRange: RestAnswer.contentRange(offset: offset, count: answer.count, total: answer.total),
            applied: names
        )
    }

    private func plan(_ query: RestQuery, _ routine: Routine) throws(RestError) -> ReadPlan {
        guard case .rows(let relation) = routine.result else {
            return ReadPlan(relation: nil, alias: name.name, items: [.all], restriction: Restriction())
        }
        var planner = ReadPlanner(
            transaction.catalogue,
            query,
            allowsAggregates: settings.allowsAggregates,
            maximumRows: settings.maximumRows
        )
        return try planner.plan(relation.flatMap { transaction.catalogue.relations[$0] }, named: name.name)
    }

    private func shape(_ routine: Routine) throws(RestError) -> AnswerShape {
        switch routine.result {
        case .void: return .none
        case .scalar:
            if !routine.returnsSet { return .value }
            return .values
        case .rows:
            switch request.format {
            case .object: return .object
            case .csv: return .csv
            case .json, .plan: return routine.returnsSet ? .array : .object
            case .openAPI, .text, .bytes: throw .noMediaType(request.request.combinedHeader("Accept") ?? "")
            }
        }
    }
}
