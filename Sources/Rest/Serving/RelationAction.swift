import HTTP
import JSON

/// What a request does to a relation.
struct RelationAction {
    let relation: CatalogueRelation
    let transaction: RestTransaction

    var request: RestRequest { transaction.request }
    var preferences: Preferences { request.preferences }
    var settings: RestSettings { transaction.settings }

    // MARK: - Reading

    func read() async throws(RestError) -> Response {
        let estimates = preferences.count == .planned || preferences.count == .estimated
        if !estimates, let read = knownRead() { return try await answer(read) }
        let query = try QueryParser.parse(request.request.query, range: request.range)
        let plan = try plan(query)
        let shape = try readShape()
        let main = reading(plan, shape)
        if case .plan(let options) = request.format {
            return planResponse(try await transaction.explain(main, options), options)
        }
        return try await answer(
            transaction.prepare(main, shape, offset: plan.restriction.offset),
            estimate: estimates ? MainStatement.estimate(plan, of: relation.name) : nil
        )
    }

    /// The read without parsing and planning, if one of its shape was planned lately; it is planned if need be.
    private func knownRead() -> PreparedRead? {
        guard !request.hasRange, let answerShape = try? readShape(),
            let query = QueryShape(request.request.encodedQuery)
        else { return nil }
        if case .plan = request.format { return nil }
        let key = KnownReads.Key(
            relation: relation.name,
            role: request.caller.role,
            query: query.text,
            shape: answerShape,
            stripsNulls: request.stripsNulls,
            countsAll: preferences.count == .exact
        )
        if let known = transaction.reads.find(key, in: transaction.catalogue) { return known.with(query.values) }
        // A fault in it is one in the query, too, and found there again with the client's own words.
        guard let parsed = try? QueryParser.parse(Query(query.text)), let plan = try? plan(parsed),
            let known = KnownRead(
                transaction.prepare(reading(plan, answerShape), answerShape, offset: plan.restriction.offset),
                count: query.values.count
            )
        else { return nil }
        transaction.reads.add(known, key, in: transaction.catalogue)
        return known.with(query.values)
    }

    private func reading(_ plan: ReadPlan, _ shape: AnswerShape) -> MainStatement {
        let ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        return .reading(plan, of: relation.name, ending, countsAll: preferences.count == .exact)
    }

    private func readShape() throws(RestError) -> AnswerShape { request.method == .head ? .none : try shape() }

    private func answer(_ read: PreparedRead, estimate: StatementText? = nil) async throws(RestError) -> Response {
        var answer = try await transaction.run(read.call, isReadOnly: true, estimate: estimate)
        let offset = read.offset
        if preferences.count == .estimated, let total = answer.total, answer.count > 0 {
            answer.total = max(total, offset + answer.count)
        }
        if request.isObject, answer.count != 1 { throw .notOneRow(answer.count) }
        if let total = answer.total, offset > total, preferences.count == .exact {
            throw .offsetTooLarge(offset, of: total)
        }
        let isPart = answer.total.map { answer.count < $0 } ?? false
        var response = try RestAnswer(request: request).response(
            isPart ? 206 : .ok,
            answer,
            read.shape,
            contentRange: RestAnswer.contentRange(offset: offset, count: answer.count, total: answer.total),
            applied: applied([.count])
        )
        if request.method == .head { response.headers.append(.contentType, "application/json; charset=utf-8") }
        let encoded = request.request.encodedQuery
        response.headers.append("Content-Location", "/\(relation.name.name)" + (encoded.isEmpty ? "" : "?\(encoded)"))
        return response
    }

    // MARK: - Changing

    func change() async throws(RestError) -> Response {
        var query = try QueryParser.parse(request.request.query)
        if request.method == .put, query.root.limit != nil || query.root.offset != nil {
            throw RestError(400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
        }
        query.root.limit = nil
        query.root.offset = nil
        let plan = try plan(query, isChange: true)
        let returns = preferences.returns ?? .minimal
        let shape: AnswerShape = returns == .representation ? try shape() : .none
        var ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        // Even where nothing is returned, one object means one row.
        if request.isObject { ending.checks.append(.one) }
        if let limit = preferences.affectedLimit, request.method == .patch || request.method == .delete {
            ending.checks.append(.atMost(limit))
        }
        if returns == .headersOnly, request.method == .post { ending.keys = relation.primaryKey }
        let main = try statement(query, plan, ending)
        if case .plan(let options) = request.format {
            return planResponse(try await transaction.explain(main, options), options)
        }
        return try response(to: try await transaction.run(transaction.call(main), isReadOnly: main.isReadOnly), shape)
    }

    private func statement(
        _ query: RestQuery,
        _ plan: ReadPlan,
        _ ending: MainStatement.Ending
    ) throws(RestError) -> MainStatement {
        switch request.method {
        case .post: return .insert(try newRows(query), plan, ending)
        case .put:
            var ending = ending
            ending.checks.append(.one)
            return .insert(try ReplacementRule(relation: relation, query: query).check(newRows(query)), plan, ending)
        case .patch: return .update(try change(query), plan, ending)
        case .delete: return .delete(relation, plan, ending)
        default: throw .unsupportedMethod(request.method)
        }
    }

    private func newRows(_ query: RestQuery) throws(RestError) -> Change {
        var change = try change(query)
        if request.method == .put {
            change.conflict = Change.Conflict(columns: relation.primaryKey, merges: true)
        } else if let resolution = preferences.resolution {
            let columns = query.conflictColumns ?? relation.primaryKey
            for name in columns where relation.column(name) == nil { throw .noColumn(name, of: relation.name.name) }
            change.conflict = Change.Conflict(columns: columns, merges: resolution == .merge)
        }
        return change
    }

    private func change(_ query: RestQuery) throws(RestError) -> Change {
        let content = try Content(request.request, columns: query.columns)
        var columns: [CatalogueColumn] = []
        for name in content.keys {
            guard let column = relation.column(name) else { throw .noColumn(name, of: relation.name.name) }
            columns.append(column)
        }
        var change = Change(relation: relation, columns: columns, content: content.json, isList: content.isList)
        let hasDefaults = columns.contains { $0.defaultText != nil }
        change.usesDefaults = preferences.missing == .default && content.hasGaps && hasDefaults
        return change
    }

    private func response(to answer: RestTransaction.Answer, _ shape: AnswerShape) throws(RestError) -> Response {
        let total = preferences.count == nil ? nil : answer.count
        let status: Status
        let range: String
        let kinds: [AppliedPreference]
        switch request.method {
        case .post:
            // An upsert that inserted nothing has made nothing.
            status = answer.inserted == 0 && answer.count > 0 ? .ok : .created
            range = RestAnswer.contentRange(offset: 0, count: 0, total: total)
            kinds = [.resolution, .missing, .returns, .count, .ending]
        case .put:
            status = answer.inserted == 0 ? (shape == .none ? .noContent : .ok) : .created
            range = RestAnswer.contentRange(offset: 0, count: 0, total: total)
            kinds = [.returns, .count, .ending]
        case .patch:
            status = shape == .none ? .noContent : .ok
            range = RestAnswer.contentRange(offset: 0, count: answer.count, total: total)
            kinds = [.missing, .returns, .count, .ending, .handling, .maximumAffected]
        default:
            status = shape == .none ? .noContent : .ok
            range = RestAnswer.contentRange(offset: 0, count: 0, total: total)
            kinds = [.returns, .count, .ending, .handling, .maximumAffected]
        }
        var response = try RestAnswer(request: request).response(
            status,
            answer,
            shape,
            contentRange: range,
            applied: applied(kinds)
        )
        if let location = location(answer) { response.headers.append("Location", location) }
        return response
    }

    /// Where the one new row is, for `return=headers-only`.
    private func location(_ answer: RestTransaction.Answer) -> String? {
        guard answer.count == 1, let keys = answer.keys.flatMap({ try? JSONParser.parse(Array($0.utf8)).array }) else {
            return nil
        }
        let pairs = zip(relation.primaryKey, keys).map { name, value in
            let text = value.string ?? value.description
            return "\(PercentCoding.encode(name))=eq.\(PercentCoding.encode(text))"
        }
        return "/\(PercentCoding.encode(relation.name.name))?\(pairs.joined(separator: "&"))"
    }

    // MARK: - Both

    private func plan(_ query: RestQuery, isChange: Bool = false) throws(RestError) -> ReadPlan {
        var planner = ReadPlanner(
            transaction.catalogue,
            query,
            allowsAggregates: settings.allowsAggregates,
            maximumRows: settings.maximumRows
        )
        var plan = try planner.plan(relation, named: relation.name.name)
        if isChange { plan.restriction.limit = nil }
        return plan
    }

    private func shape() throws(RestError) -> AnswerShape {
        switch request.format {
        case .json, .plan: return .array
        case .object: return .object
        case .csv: return .csv
        case .openAPI, .text, .bytes: throw .noMediaType(request.request.combinedHeader("Accept") ?? "")
        }
    }

    private func planResponse(_ text: [UInt8], _ options: AnswerFormat.PlanOptions) -> Response {
        var response = Response(status: .ok, body: text)
        let type = options.isText ? "text" : "json"
        response.headers.append(.contentType, "application/vnd.pgrst.plan+\(type); charset=utf-8")
        return response
    }

    private func applied(_ kinds: [AppliedPreference]) -> [String] {
        kinds.compactMap { $0.text(preferences, allowsRollback: settings.allowsRollback) }
    }
}
