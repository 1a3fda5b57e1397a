public import SwiftletWeb

/// The verbs that a resource can serve.
public enum ResourceVerb: CaseIterable, Hashable, Sendable {
    case list
    case get
    case create
    case update
    case delete
}

/// Where a row's key is among the parameters of a path.
private struct KeyIndex {
    let index: Int
    /// Whether the path names the parents of the parent as well.
    let isNested: Bool
}

extension Resource {
    /// Routes for the given verbs, by default for all: `GET /`, `POST /`, `GET|PATCH|PUT|DELETE /:id`.
    ///
    /// For a resource with a ``ChildOf``, the last parameter of `path` is the parent's id: `"/:id/comments"`.
    /// Parameters before it are the ids of the parent's own parents, which must belong together:
    /// `"/:id/comments/:comment/votes"`.
    public func routes(_ verbs: ResourceVerb..., at path: RoutePath = "/") -> [Route] {
        let verbs = verbs.isEmpty ? ResourceVerb.allCases : verbs
        return verbs.flatMap { routes(for: $0, at: path) }
    }

    private func routes(for verb: ResourceVerb, at path: RoutePath) -> [Route] {
        let item = path.appending(rules.parent == nil ? "/:id" : Self.childKey)
        let isNested = path.parameterCount > 1 && rules.parent?.isChild == true
        let place = KeyIndex(index: path.parameterCount, isNested: isNested)
        return switch verb {
        case .list: [listRoute(path, place)]
        case .create: [createRoute(path, place)]
        case .get: [getRoute(item, place)]
        case .update: [updateRoute(.patch, item, place), updateRoute(.put, item, place)]
        case .delete: [deleteRoute(item, place)]
        }
    }

    private static let childKey: RoutePath = "/:child"

    private func listRoute(_ path: RoutePath, _ place: KeyIndex) -> Route {
        Route(.get, path, access: scope.access, table: description(.list, at: path)) { request, context in
            try await list(request, in: context, parentKey: parentKey(context, place)).response()
        }
        .listing(self)
    }

    private func createRoute(_ path: RoutePath, _ place: KeyIndex) -> Route {
        Route(.post, path, access: scope.access, table: description(.create, at: path)) { request, context in
            try await create(request, in: context, parentKey: parentKey(context, place)).response(.created)
        }
        .withoutParameters()
    }

    private func getRoute(_ item: RoutePath, _ place: KeyIndex) -> Route {
        Route(.get, item, access: scope.access, table: description(.get, at: item)) { _, context in
            try await get(context.parameters[place.index], in: context, parentKey: parentKey(context, place)).response()
        }
        .withoutParameters()
    }

    private func updateRoute(_ method: Method, _ item: RoutePath, _ place: KeyIndex) -> Route {
        Route(method, item, access: scope.access, table: description(.update, at: item)) { request, context in
            let key = context.parameters[place.index]
            return try await update(key, request, in: context, parentKey: parentKey(context, place)).response()
        }
        .withoutParameters()
    }

    private func deleteRoute(_ item: RoutePath, _ place: KeyIndex) -> Route {
        Route(.delete, item, access: scope.access, table: description(.delete, at: item)) { _, context in
            do {
                let key = context.parameters[place.index]
                try await delete(key, in: context, parentKey: parentKey(context, place))
            } catch let error as APIError where error == .notFound {
                // A parent that is gone took its rows along.
            }
            return .success
        }
        .withoutParameters()
    }

    /// The parent's key, which is the parameter before the row's own; nil without a parent. Throws 403 or 404 if the
    /// path names further rows before it that are out of reach.
    @inline(__always)
    private func parentKey(_ context: Context, _ place: KeyIndex) async throws -> String? {
        if place.isNested { try await requirePath(to: place.index, context) }
        return rules.parent == nil ? nil : context.parameters[place.index - 1]
    }

    /// Throws 403 or 404 when a row that the path names before ours is out of reach, or does not belong to the one
    /// before.
    private func requirePath(to place: Int, _ context: Context) async throws {
        try await rules.parent?.requireRow((0..<place).map { context.parameters[$0] }, context)
    }
}

extension RouteDeclaration {
    /// The same route, whose handler lists `resource` by the request's query: `resource.list(request, in: context)`. Other
    /// parameters are named or refused, as by ``Route/taking(query:)``.
    public func listing(_ resource: Resource) -> Route {
        var route = route
        let others = self.route.knowsParameter
        route.knowsParameter = { name, schema in
            let plan = resource.plan(in: schema)
            // Without the table, nobody knows what it has.
            return plan.table == nil || ListQuery.knows(name, plan) || others?(name, schema) == true
        }
        return route
    }
}

extension Route {
    fileprivate func withoutParameters() -> Route {
        var route = self
        route.knowsParameter = { _, _ in false }
        return route
    }
}

extension Resource {
    /// What start-up checks of a route at `path`.
    private func description(_ verb: RouteSchema.Verb, at path: RoutePath) -> TableBacking {
        TableBacking(
            name: table,
            fault: fault(at: path),
            missing: { plan(in: $0).missing },
            declaredSQL: { schema in
                let plan = plan(in: schema)
                guard let table = plan.table else { return [] }
                return plan.read.declaredSQL.map { rule, expression in
                    let statement = "SELECT \(expression) FROM \(table.quotedName) t LIMIT 0"
                    return TableBacking.DeclaredSQL(rule: rule, statement: statement)
                }
            },
            schema: { shape(of: verb, in: $0) }
        )
    }

    private func fault(at path: RoutePath) -> TableBacking.Fault? {
        if let rule = rules.subqueries.first { return .subquery(rule: rule) }
        if let fault = rules.faultyEnumerations.first { return .vocabulary(fault) }
        return lacksParentParameter(path) ? .noParentParameter : nil
    }

    /// Whether the resource has a parent, and no parameter of the path can be the parent's id.
    private func lacksParentParameter(_ path: RoutePath) -> Bool {
        guard rules.parent != nil else { return false }
        let isItem = path.segments.last == Self.childKey.segments.last
        return path.parameterCount < (isItem ? 2 : 1)
    }
}
