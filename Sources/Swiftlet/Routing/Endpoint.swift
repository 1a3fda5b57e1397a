/// What answers a request: a route of a function, a page of the server, or an error such as "not found".
final class Endpoint: Sendable {
    /// The function's or page's name, a label in logs and metrics. It never comes from a client.
    let name: String
    let method: Method
    let access: Route.Access
    let pattern: [RoutePath.Segment]
    let handler: Handler
    let metrics = EndpointMetrics()
    /// The parameters and their positions after the function's name. Routes with the same pattern may name them
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
