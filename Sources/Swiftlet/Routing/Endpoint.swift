/// Where a request ends up: a route of a function, one of the server's own pages, or an answer such as "not found".
final class Endpoint: Sendable {
    /// The function's name, or the server's own word for it; a label in logs and metrics, so never a client's text.
    let name: String
    let method: Method
    let access: Route.Access
    let pattern: [RoutePath.Segment]
    let handler: Handler
    let metrics = EndpointMetrics()
    /// The names of the parameters, and how far behind the function's name they stand. Routes of one shape may call them
    /// differently.
    private let parameters: [(name: String, position: Int)]

    init(
        name: String,
        method: Method,
        access: Route.Access,
        pattern: [RoutePath.Segment] = [],
        handler: @escaping Handler
    ) {
        self.name = name
        self.method = method
        self.access = access
        self.pattern = pattern
        self.handler = handler
        parameters = pattern.enumerated().compactMap { position, segment in
            if case .parameter(let name) = segment { (name, position) } else { nil }
        }
    }

    func position(of parameter: String) -> Int? {
        for (name, position) in parameters where name == parameter { return position }
        return nil
    }

    func position(ofParameter index: Int) -> Int? {
        parameters.indices.contains(index) ? parameters[index].position : nil
    }
}
