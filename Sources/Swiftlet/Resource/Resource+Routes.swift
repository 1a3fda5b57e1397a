/// The verbs that a resource can serve.
public enum ResourceVerb: CaseIterable, Hashable, Sendable {
    case list
    case get
    case create
    case update
    case delete
}

extension Resource {
    /// Routes for the given verbs, by default for all: `GET /`, `POST /`, `GET|PATCH|PUT|DELETE /:id`.
    ///
    /// For a resource with a ``parent(_:by:_:)``, the last parameter of `path` is the parent's id: `"/:id/comments"`.
    /// Parameters before it are the ids of the parent's own parents, which must belong together:
    /// `"/:id/comments/:comment/votes"`.
    public func routes(_ verbs: ResourceVerb..., at path: RoutePath = "/") -> [Route] {
        let verbs = verbs.isEmpty ? ResourceVerb.allCases : verbs
        return verbs.flatMap { routes(for: $0, at: path) }
    }

    private func routes(for verb: ResourceVerb, at path: RoutePath) -> [Route] {
        let item = path.appending(rules.parent == nil ? "/:id" : "/:child")
        let place = path.parameterCount
        let isNested = place > 1 && rules.parent?.resource.rules.parent != nil
        switch verb {
        case .list:
            return [
                Route(.get, path, resource: self) { request, context in
                    if isNested { try await requirePath(to: place, context) }
                    return try await list(request, context, parentKey: parentKey(context, before: place))
                }
            ]
        case .create:
            return [
                Route(.post, path, resource: self) { request, context in
                    if isNested { try await requirePath(to: place, context) }
                    return try await create(request, context, parentKey: parentKey(context, before: place))
                }
            ]
        case .get:
            return [
                Route(.get, item, resource: self) { _, context in
                    if isNested { try await requirePath(to: place, context) }
                    let key = context.parameters[place]
                    return try await get(key, context, parentKey: parentKey(context, before: place))
                }
            ]
        case .update:
            return [Method.patch, .put].map { method in
                Route(method, item, resource: self) { request, context in
                    if isNested { try await requirePath(to: place, context) }
                    let key = context.parameters[place]
                    return try await update(key, request, context, parentKey: parentKey(context, before: place))
                }
            }
        case .delete:
            return [
                Route(.delete, item, resource: self) { _, context in
                    do {
                        if isNested { try await requirePath(to: place, context) }
                        let key = context.parameters[place]
                        return try await delete(key, context, parentKey: parentKey(context, before: place))
                    } catch let error as APIError where error == .notFound {
                        return .success
                    }
                }
            ]
        }
    }

    /// The parent's key, which is the parameter before our own.
    private func parentKey(_ context: Context, before place: Int) -> String? {
        rules.parent == nil ? nil : context.parameters[place - 1]
    }

    /// Throws 403 or 404 when a row that the path names before ours is out of reach, or does not belong to the one
    /// before.
    private func requirePath(to place: Int, _ context: Context) async throws {
        try await rules.parent?.resource.requireRow((0..<place).map { context.parameters[$0] }, context)
    }
}
