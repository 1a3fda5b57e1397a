import SwiftletHTTP
import SwiftletPostgres

/// Decides what a request does to a relation.
struct RelationPlanner {
    let relation: Table
    let request: RestRequest
    let catalog: RestCatalog

    private var preferences: Preferences { request.preferences }

    /// Throws ``RestError``.
    func plan() throws(RestError) -> RestPlan {
        if request.isRead {
            let query = try QueryParser.parse(request.request.query, range: request.range)
            request.timings?.end(.parsing)
            return try readPlan(query)
        }
        var query = try QueryParser.parse(request.request.query)
        request.timings?.end(.parsing)
        if request.method == .put, query.root.limit != nil || query.root.offset != nil {
            throw RestError(400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
        }
        query.root.limit = nil
        query.root.offset = nil
        return try changePlan(query)
    }

    // MARK: - Reading

    /// The form of what a read answers.
    var readForm: ResultForm { request.method == .head ? .none : form }

    func readPlan(_ query: RestQuery) throws(RestError) -> RestPlan {
        let total: RestPlan.RowTotal? =
            switch preferences.count {
            case .exact: .exact
            case .planned: .planned
            case .estimated: .estimated(upTo: catalog.settings.largestExactCount)
            case nil: nil
            }
        let ending = MainStatement.Ending(form: readForm, stripsNulls: request.stripsNulls)
        return RestPlan(.read(relation.qualifiedName, total), try rows(query), ending)
    }

    // MARK: - Changing

    private func changePlan(_ query: RestQuery) throws(RestError) -> RestPlan {
        var rows = try rows(query)
        rows.restriction.limit = nil
        let returns = preferences.returns ?? .minimal
        var ending = MainStatement.Ending(
            form: returns == .representation ? form : .none,
            stripsNulls: request.stripsNulls
        )
        // Even where nothing is returned, one object means one row.
        if request.isObject { ending.checks.append(.one) }
        if let limit = preferences.affectedLimit, request.method == .patch || request.method == .delete {
            ending.checks.append(.atMost(limit))
        }
        switch request.method {
        case .post:
            if returns == .headersOnly { ending.keys = relation.primaryKey }
            var change = try change(query)
            if let resolution = preferences.resolution {
                let columns = query.conflictColumns ?? relation.primaryKey
                for name in columns where relation.column(name) == nil { throw .noColumn(name, of: relation.name) }
                change.conflict = Mutation.Conflict(columns: columns, merges: resolution == .merge)
            }
            return RestPlan(.insert(change), rows, ending)
        case .put:
            ending.checks.append(.one)
            var change = try change(query)
            change.conflict = Mutation.Conflict(columns: relation.primaryKey, merges: true)
            let rule = ReplacementRule(relation: relation, query: query)
            return RestPlan(.replace(try rule.check(change)), rows, ending)
        case .patch: return RestPlan(.update(try change(query)), rows, ending)
        case .delete: return RestPlan(.delete(relation), rows, ending)
        default: throw .unsupportedMethod(request.method)
        }
    }

    private func change(_ query: RestQuery) throws(RestError) -> Mutation {
        let content = try Content(request.request, columns: query.columns)
        var columns: [Column] = []
        for name in content.keys {
            guard let column = relation.column(name) else { throw .noColumn(name, of: relation.name) }
            columns.append(column)
        }
        var change = Mutation(relation: relation, columns: columns, content: content.json, isList: content.isList)
        change.usesDefaults = preferences.missing == .default
        return change
    }

    // MARK: - Both

    private func rows(_ query: RestQuery) throws(RestError) -> ReadPlan {
        var planner = ReadPlanner(
            catalog,
            query,
            allowsAggregates: catalog.settings.allowsAggregates,
            maximumRows: catalog.settings.maximumRows
        )
        return try planner.plan(relation, named: relation.name)
    }

    private var form: ResultForm {
        switch request.format.content {
        case .json, .plan: .array
        case .object: .object
        case .csv: .csv
        case .geoJSON: .geoJSON
        case .handler(let handler): .handler(handler, isScalar: false)
        }
    }
}
