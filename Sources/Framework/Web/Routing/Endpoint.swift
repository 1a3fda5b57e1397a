/// What answers requests, by its name: a route of a function, a page of the server, or an error such as "not found".
///
/// It only describes; a ``Destination`` performs.
final class Endpoint: Sendable {
    /// The function's or page's name, a label in logs and metrics. It never comes from a client.
    let name: String
    let pattern: [RoutePath.Segment]
    let metrics = EndpointMetrics()
    /// What the log has in place of the path, where that has a secret in it; nil for all others.
    let loggedPath: String?
    /// The parameters and their positions after the function's name. Routes with the same pattern may name them
    /// differently.
    private let parameters: [(name: String, position: Int)]

    /// Where the rest of the path begins.
    let restPosition: Int?

    init(_ name: String, pattern: [RoutePath.Segment] = [], loggedPath: String? = nil) {
        self.name = name
        self.pattern = pattern
        restPosition = pattern.last == .rest ? pattern.count - 1 : nil
        self.loggedPath = loggedPath
        parameters = pattern.enumerated().compactMap { position, segment in
            if case .parameter(let name) = segment { (name, position) } else { nil }
        }
    }

    /// `/tasks/:id/comments`: the label of traces.
    var route: String {
        pattern.reduce("/" + name) { path, segment in
            switch segment {
            case .literal(let word): "\(path)/\(word)"
            case .parameter(let name): "\(path)/:\(name)"
            case .rest: path + "/*"
            }
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
