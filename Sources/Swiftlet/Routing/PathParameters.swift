/// The values of a route's `:parameters`, percent-decoded when they are asked for.
public struct PathParameters: Sendable {
    private let request: Request
    private let positions: [String: Int]

    init(_ request: Request, positions: [String: Int]) {
        self.request = request
        self.positions = positions
    }

    /// The decoded segment, or an empty text for a name that the route does not have.
    public subscript(_ name: String) -> String {
        guard let position = positions[name] else { return "" }
        let segments = request.pathSegments
        return position < segments.count ? segments[position] : ""
    }
}
