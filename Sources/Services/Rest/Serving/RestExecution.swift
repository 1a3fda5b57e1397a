import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Does what a ``RestPlan`` says, and makes the response.
struct RestExecution {
    let transaction: RestTransaction

    private var request: RestRequest { transaction.request }
    private var preferences: Preferences { request.preferences }

    /// A request to a relation. A read whose query was planned lately is neither parsed nor planned.
    func run(_ planner: RelationPlanner) async throws(RestError) -> Response {
        if let known = knownRead(planner) {
            let answer = try await transaction.run(known.call, isReadOnly: true, mayTakeLong: known.plan.mayTakeLong)
            // What is cached has none of the request's values.
            guard !known.plan.isExceeded(by: answer) else { return try await streamed(answer, planner.plan()) }
            return try response(to: answer, of: known.plan)
        }
        return try await run(planner.plan())
    }

    func run(_ plan: RestPlan) async throws(RestError) -> Response {
        if case .plan(_, let options) = request.format {
            var response = Response(status: .ok, body: try await transaction.explain(plan.statement, options))
            response.headers.append(.contentType, request.contentType)
            return response
        }
        // What is part of a batch or of a transaction is no stream.
        let isWhole = transaction.context.isPartOfBatch || transaction.open != nil
        let whole = plan
        let plan = isWhole ? plan : plan.bounded
        let main = plan.statement
        let answer = try await transaction.run(
            transaction.call(main),
            isReadOnly: main.isReadOnly,
            mayTakeLong: plan.mayTakeLong,
            estimate: plan.estimate
        )
        guard plan.isExceeded(by: answer) else { return try response(to: answer, of: plan) }
        do {
            return try await streamed(answer, plan)
        } catch  where error.isTooManyLargeAnswers && !plan.isListOfRelation {
            // They were made as a whole before they could be sent row by row.
            let main = whole.statement
            return try response(
                to: try await transaction.run(
                    transaction.call(main),
                    isReadOnly: main.isReadOnly,
                    mayTakeLong: whole.mayTakeLong,
                    estimate: whole.estimate
                ),
                of: whole
            )
        }
    }

    /// One of its form that was planned lately, with its own values; it is planned if need be.
    private func knownRead(_ planner: RelationPlanner) -> PreparedRead? {
        guard request.isRead, preferences.count == nil || preferences.count == .exact, !request.hasRange,
            let query = QueryKey(request.request.encodedQuery)
        else { return nil }
        if case .plan = request.format { return nil }
        if transaction.context.isPartOfBatch { return nil }
        let key = RestPlanCache.Key(
            relation: planner.relation.qualifiedName,
            role: request.caller.role,
            query: query.text,
            form: planner.readForm,
            stripsNulls: request.stripsNulls,
            countsAll: preferences.count == .exact
        )
        if let known = transaction.reads.find(key, in: transaction.catalog) { return known.with(query.values) }
        // A fault in it is one in the query, too, and found there again with the client's own words.
        guard let parsed = try? QueryParser.parse(Query(query.text)),
            let plan = (try? planner.readPlan(parsed))?.bounded,
            let known = CachedRestPlan(
                PreparedRead(call: transaction.call(plan.statement), plan: plan),
                count: query.values.count
            )
        else { return nil }
        transaction.reads.add(known, key, in: transaction.catalog)
        return known.with(query.values)
    }

    // MARK: - The response

    /// The rows of an answer that is too large to be made as a whole, of a new snapshot.
    private func streamed(
        _ answer: RestTransaction.MainRow,
        _ plan: RestPlan
    ) async throws(RestError) -> Response {
        guard let (count, rows) = try await transaction.stream(plan) else { throw .unavailable }
        var answer = answer
        answer.count = plan.pageCount(of: count)
        // It was counted up to the bound.
        if answer.total != nil, plan.rows.readsAll { answer.total = count }
        answer.body = []
        var response = try response(to: answer, of: plan)
        response.stream = ResponseStream(length: nil) { try await rows.write(to: $0) }
        return response
    }

    private func response(to answer: RestTransaction.MainRow, of plan: RestPlan) throws(RestError) -> Response {
        var answer = answer
        if case .read(_, let total) = plan.operation {
            answer.settle(total)
            if request.isObject, answer.count != 1 { throw .notOneRow(answer.count) }
        }
        let outcome = try RestOutcome(of: plan, answer, request)
        var response = try RestResponse(request: request).response(
            outcome.status,
            answer,
            outcome.form,
            contentRange: outcome.contentRange,
            applied: outcome.applied.compactMap {
                $0.text(preferences, isEndingOverridable: transaction.catalog.settings.ending.isOverridable)
            }
        )
        switch plan.operation {
        case .read(let relation, _):
            // Many clients and proxies refuse headers of more than 8 or 16 KB.
            let query = request.request.encodedQuery
            guard query.utf8.count <= 4096 else { break }
            response.headers.append("Content-Location", RestLocation.of(relation, query: query))
        case .insert(let change):
            if let location = RestLocation.of(answer, in: change.relation) {
                response.headers.append("Location", location)
            }
        case .replace, .update, .delete, .call: break
        }
        return response
    }
}

extension RestTransaction.MainRow {
    /// The total that was asked for.
    fileprivate mutating func settle(_ wanted: RestPlan.RowTotal?) {
        switch wanted {
        case .planned: total = estimate
        case .estimated(let limit):
            if let counted = total, counted > limit { total = max(counted, estimate ?? 0) }
        case .exact, nil: break
        }
    }
}
