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
        var query = try QueryParser.parse(request.request.query)
        if let range = try request.range {
            query.root.offset = max(query.root.offset ?? 0, range.offset)
            if let limit = range.limit { query.root.limit = min(query.root.limit ?? limit, limit) }
        }
        let plan = try plan(query)
        let shape: AnswerShape = request.method == .head ? .none : try shape()
        let ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        let countsAll = preferences.count == .exact
        let main = MainStatement.reading(plan, of: relation.name, ending, countsAll: countsAll)
        if case .plan(let options) = request.format {
            return planResponse(try await transaction.explain(main, options), options)
        }
        let estimates = preferences.count == .planned || preferences.count == .estimated
        let estimate = estimates ? MainStatement.estimate(plan, of: relation.name) : nil
        var answer = try await transaction.run(main, estimate: estimate)
        let offset = plan.restriction.offset ?? 0
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
            shape,
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
        return try response(to: try await transaction.run(main), shape)
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
            return "\(name.percentEncoded)=eq.\(text.percentEncoded)"
        }
        return "/\(relation.name.name.percentEncoded)?\(pairs.joined(separator: "&"))"
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
