import SwiftletPostgres
import SwiftletHTTP
import SwiftletWeb
import SwiftletJSON

/// What a request does to a relation.
struct RelationAction {
    let relation: Table
    let transaction: RestTransaction

    var request: RestRequest { transaction.request }
    var preferences: Preferences { request.preferences }
    var settings: RestSettings { transaction.settings }

    // MARK: - Reading

    func read() async throws(RestError) -> Response {
        let estimates = preferences.count == .planned || preferences.count == .estimated
        if !estimates, let read = knownRead() { return try await answer(read) }
        let query = try QueryParser.parse(request.request.query, range: request.range)
        request.timings?.end(.parsing)
        let plan = try plan(query)
        let shape = readShape()
        let main = reading(plan, shape)
        if case .plan(_, let options) = request.format {
            return planResponse(try await transaction.explain(main, options))
        }
        return try await answer(
            transaction.prepare(main, shape, offset: plan.restriction.offset),
            estimate: estimates ? MainStatement.estimate(plan, of: relation.qualifiedName) : nil
        )
    }

    /// The read without parsing and planning, if one of its shape was planned lately; it is planned if need be.
    private func knownRead() -> PreparedRead? {
        let answerShape = readShape()
        guard !request.hasRange, let query = QueryShape(request.request.encodedQuery)
        else { return nil }
        if case .plan = request.format { return nil }
        let key = RestPlanCache.Key(
            relation: relation.qualifiedName,
            role: request.caller.role,
            query: query.text,
            shape: answerShape,
            stripsNulls: request.stripsNulls,
            countsAll: preferences.count == .exact
        )
        if let known = transaction.reads.find(key, in: transaction.catalog) { return known.with(query.values) }
        // A fault in it is one in the query, too, and found there again with the client's own words.
        guard let parsed = try? QueryParser.parse(Query(query.text)), let plan = try? plan(parsed),
            let known = CachedRestPlan(
                transaction.prepare(reading(plan, answerShape), answerShape, offset: plan.restriction.offset),
                count: query.values.count
            )
        else { return nil }
        transaction.reads.add(known, key, in: transaction.catalog)
        return known.with(query.values)
    }

    private func reading(_ plan: ReadPlan, _ shape: ResponseShape) -> MainStatement {
        var plan = plan
        plan.printsRows = shape.printsRows
        let ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        let limit: Int?? =
            switch preferences.count {
            case .exact: .some(nil)
            // One more than counts, so that it shows whether there are more.
            case .estimated: .some(settings.largestExactCount + 1)
            case .planned, nil: nil
            }
        return .reading(plan, of: relation.qualifiedName, ending, countsUpTo: limit)
    }

    private func readShape() -> ResponseShape { request.method == .head ? .none : shape() }

    private func answer(_ read: PreparedRead, estimate: StatementText? = nil) async throws(RestError) -> Response {
        var answer = try await transaction.run(read.call, isReadOnly: true, estimate: estimate)
        let offset = read.offset
        if preferences.count == .planned {
            answer.total = answer.estimate
        } else if preferences.count == .estimated, let total = answer.total, total > settings.largestExactCount {
            answer.total = max(total, answer.estimate ?? 0)
        }
        if request.isObject, answer.count != 1 { throw .notOneRow(answer.count) }
        if let total = answer.total, offset > total { throw .offsetTooLarge(offset, of: total) }
        let isPart = answer.total.map { answer.count < $0 } ?? false
        var response = try RestResponse(request: request).response(
            isPart ? 206 : .ok,
            answer,
            read.shape,
            contentRange: RestResponse.contentRange(offset: offset, count: answer.count, total: answer.total),
            applied: applied([.count, .ending, .handling, .timeZone])
        )
        // Many clients and proxies refuse headers of more than 8 or 16 KB.
        if request.request.encodedQuery.utf8.count <= 4096 {
            response.headers.append(
                "Content-Location",
                "/\(relation.name)\(Self.canonical(request.request.encodedQuery))"
            )
        }
        return response
    }

    /// `?` and the parameters in the order of their names, so that equal requests have one location.
    private static func canonical(_ query: String) -> String {
        if query.isEmpty { return "" }
        guard query.utf8.contains(UInt8(ascii: "&")) else { return "?\(query)" }
        let pairs = query.split(separator: "&").map { (name: $0.prefix { $0 != "=" }, pair: $0) }
        let sorted = pairs.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return "?" + sorted.map(\.element.pair).joined(separator: "&")
    }

    // MARK: - Changing

    func change() async throws(RestError) -> Response {
        var query = try QueryParser.parse(request.request.query)
        request.timings?.end(.parsing)
        if request.method == .put, query.root.limit != nil || query.root.offset != nil {
            throw RestError(400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
        }
        query.root.limit = nil
        query.root.offset = nil
        var plan = try plan(query, isChange: true)
        let returns = preferences.returns ?? .minimal
        let shape: ResponseShape = returns == .representation ? shape() : .none
        plan.printsRows = shape.printsRows
        var ending = MainStatement.Ending(shape: shape, stripsNulls: request.stripsNulls)
        // Even where nothing is returned, one object means one row.
        if request.isObject { ending.checks.append(.one) }
        if let limit = preferences.affectedLimit, request.method == .patch || request.method == .delete {
            ending.checks.append(.atMost(limit))
        }
        if returns == .headersOnly, request.method == .post { ending.keys = relation.primaryKey }
        let main = try statement(query, plan, ending)
        if case .plan(_, let options) = request.format {
            return planResponse(try await transaction.explain(main, options))
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
            for name in columns where relation.column(name) == nil { throw .noColumn(name, of: relation.name) }
            change.conflict = Change.Conflict(columns: columns, merges: resolution == .merge)
        }
        return change
    }

    private func change(_ query: RestQuery) throws(RestError) -> Change {
        let content = try Content(request.request, columns: query.columns)
        var columns: [Column] = []
        for name in content.keys {
            guard let column = relation.column(name) else { throw .noColumn(name, of: relation.name) }
            columns.append(column)
        }
        var change = Change(relation: relation, columns: columns, content: content.json, isList: content.isList)
        change.usesDefaults = preferences.missing == .default
        return change
    }

    private func response(to answer: RestTransaction.Answer, _ shape: ResponseShape) throws(RestError) -> Response {
        let total = preferences.count == nil ? nil : answer.count
        let status: Status
        let range: String
        let kinds: [AppliedPreference]
        switch request.method {
        case .post:
            // An upsert that inserted nothing has made nothing.
            status = preferences.resolution == .merge && answer.inserted ?? 0 <= 0 ? .ok : .created
            range = RestResponse.contentRange(offset: 0, count: 0, total: total)
            // Without a key there is nothing to resolve.
            let resolves = !relation.primaryKey.isEmpty || request.request.query["on_conflict"] != nil
            kinds =
                (resolves ? [.resolution] : []) + [.missing, .returns, .count, .ending, .handling, .timeZone]
        case .put:
            status = answer.inserted == 0 ? (shape == .none ? .noContent : .ok) : .created
            range = RestResponse.contentRange(offset: 0, count: 0, total: total)
            kinds = [.returns, .count, .ending, .handling, .timeZone]
        case .patch:
            status = shape == .none ? .noContent : .ok
            range = RestResponse.contentRange(offset: 0, count: answer.count, total: total)
            kinds = [.missing, .returns, .count, .ending, .handling, .timeZone, .maximumAffected]
        default:
            status = shape == .none ? .noContent : .ok
            range = RestResponse.contentRange(offset: 0, count: 0, total: total)
            kinds = [.returns, .count, .ending, .handling, .timeZone, .maximumAffected]
        }
        var response = try RestResponse(request: request).response(
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
            if value.isNull { return "\(PercentCoding.encode(name))=is.null" }
            let text = value.string ?? value.description
            return "\(PercentCoding.encode(name))=eq.\(PercentCoding.encode(text))"
        }
        return "/\(PercentCoding.encode(relation.name))?\(pairs.joined(separator: "&"))"
    }

    // MARK: - Both

    private func plan(_ query: RestQuery, isChange: Bool = false) throws(RestError) -> ReadPlan {
        var planner = ReadPlanner(
            transaction.catalog,
            query,
            allowsAggregates: settings.allowsAggregates,
            maximumRows: settings.maximumRows
        )
        var plan = try planner.plan(relation, named: relation.name)
        if isChange { plan.restriction.limit = nil }
        return plan
    }

    private func shape() -> ResponseShape {
        switch request.format.content {
        case .json, .plan: .array
        case .object: .object
        case .csv: .csv
        case .geoJSON: .geoJSON
        case .handler(let handler): .handler(handler, isScalar: false)
        }
    }

    private func planResponse(_ text: [UInt8]) -> Response {
        var response = Response(status: .ok, body: text)
        response.headers.append(.contentType, request.contentType)
        return response
    }

    private func applied(_ kinds: [AppliedPreference]) -> [String] {
        kinds.compactMap { $0.text(preferences, isEndingOverridable: settings.ending.isOverridable) }
    }
}
