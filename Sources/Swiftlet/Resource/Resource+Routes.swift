/// The five verbs that a resource can serve.
public enum ResourceVerb: CaseIterable, Hashable, Sendable {
    case list
    case get
    case create
    case update
    case delete
}

extension Resource {
    /// Routes for the given verbs, all of them by default: `GET /`, `POST /`, `GET|PATCH|PUT|DELETE /:id`.
    ///
    /// For a resource with a ``parent(_:by:_:)``, `path` holds the parent's id: `"/:id/comments"`.
    public func routes(_ verbs: ResourceVerb..., at path: RoutePath = "/") -> [Route] {
        let verbs = verbs.isEmpty ? ResourceVerb.allCases : verbs
        return verbs.flatMap { routes(for: $0, at: path) }
    }

    private func routes(for verb: ResourceVerb, at path: RoutePath) -> [Route] {
        let hasParent = rules.parent != nil
        let item = path.appending(hasParent ? "/:child" : "/:id")
        let key = hasParent ? "child" : "id"
        let parentKey: @Sendable (Context) -> String? = { hasParent ? $0.parameters["id"] : nil }
        switch verb {
        case .list:
            return [
                Route(.get, path, resource: self) { request, context in
                    try await list(request, context, parentKey: parentKey(context))
                }
            ]
        case .create:
            return [
                Route(.post, path, resource: self) { request, context in
                    try await create(request, context, parentKey: parentKey(context))
                }
            ]
        case .get:
            return [
                Route(.get, item, resource: self) { _, context in
                    try await get(context.parameters[key], context, parentKey: parentKey(context))
                }
            ]
        case .update:
            return [Method.patch, .put].map { method in
                Route(method, item, resource: self) { request, context in
                    try await update(context.parameters[key], request, context, parentKey: parentKey(context))
                }
            }
        case .delete:
            return [
                Route(.delete, item, resource: self) { _, context in
                    try await delete(context.parameters[key], context, parentKey: parentKey(context))
                }
            ]
        }
    }
}
