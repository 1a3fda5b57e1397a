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
        if transaction.context.isPartOfBatch || transaction.open != nil { return try await whole(plan) }
        let whole = plan
        let plan = plan.bounded
        if let routine = plan.streamedRoutine,
            transaction.largeRoutines.contains(routine, role: request.caller.role, in: transaction.catalog)
        {
            return try await streamed(.unread(of: plan), plan, orElse: whole)
        }
        let main = plan.statement
        let answer = try await transaction.run(
            transaction.call(main),
            isReadOnly: main.isReadOnly,
            mayTakeLong: plan.mayTakeLong,
            estimate: plan.estimate
        )
        guard plan.isExceeded(by: answer) else { return try response(to: answer, of: plan) }
        if let routine = plan.streamedRoutine {
            transaction.largeRoutines.note(routine, isLarge: true, role: request.caller.role, in: transaction.catalog)
        }
        return try await streamed(answer, plan, orElse: whole)
    }

    /// The answer made before it is sent, however large it is.
    private func whole(_ plan: RestPlan) async throws(RestError) -> Response {
        let main = plan.statement
        let answer = try await transaction.run(
            transaction.call(main),
            isReadOnly: main.isReadOnly,
            mayTakeLong: plan.mayTakeLong,
            estimate: plan.estimate
        )
        return try response(to: answer, of: plan)
    }

    /// What is no list of a relation was made as a whole before it could be sent row by row, and is so again where too many
    /// are sent.
    private func streamed(
        _ answer: RestTransaction.MainRow,
        _ plan: RestPlan,
        orElse whole: RestPlan
    ) async throws(RestError) -> Response {
        do {
            return try await streamed(answer, plan)
        } catch  where error.isTooManyLargeAnswers && !plan.isListOfRelation {
            return try await self.whole(whole)
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
        guard let found = try await transaction.stream(plan) else { throw .unavailable }
        var answer = answer
        answer.count = plan.pageCount(of: found.count)
        // It was counted up to the bound.
        if answer.total != nil, plan.rows.readsAll { answer.total = found.count }
        answer.body = []
        if case .call = plan.operation { (answer.headers, answer.status) = (found.headers, found.status) }
        var response = try response(to: answer, of: plan)
        let (rows, known, catalog) = (found.rows, transaction.largeRoutines, transaction.catalog)
        let (role, routine) = (request.caller.role, found.count <= AnswerBound.rows ? plan.streamedRoutine : nil)
        response.stream = ResponseStream(length: nil) { writer in
            let bytes = try await rows.write(to: writer)
            guard let routine, bytes <= AnswerBound.bytes else { return }
            known.note(routine, isLarge: false, role: role, in: catalog)
        }
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
    /// That of a call whose rows are sent before they were counted.
    fileprivate static func unread(of plan: RestPlan) -> Self {
        var total: Int?
        if case .call(_, _, true) = plan.operation { total = 0 }
        return Self(total: total, count: 0, body: [])
    }

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
