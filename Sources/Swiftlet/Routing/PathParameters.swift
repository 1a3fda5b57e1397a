/// The values of a route's `:parameters`, percent-decoded when they are asked for.
public struct PathParameters: Sendable {
    private let request: Request
    private let positions: [String: Int]
    private let first: Int

    /// `positions` count from the segment at `first`, the one behind the function's name.
    init(_ request: Request, positions: [String: Int] = [:], from first: Int = 0) {
        self.request = request
        self.positions = positions
        self.first = first
    }

    /// The decoded segment, or an empty text for a name that the route does not have.
    public subscript(_ name: String) -> String {
        guard let position = positions[name] else { return "" }
        let segments = request.pathSegments
        return first + position < segments.count ? segments[first + position] : ""
    }
}
