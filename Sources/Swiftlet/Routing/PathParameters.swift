/// The values of a route's `:parameters`, percent-decoded when they are asked for.
public struct PathParameters: Sendable {
    private let request: Request
    private let pattern: RoutePattern?
    private let first: Int

    /// The pattern's positions count from the segment at `first`, the one behind the function's name.
    init(_ request: Request, _ pattern: RoutePattern? = nil, from first: Int = 0) {
        self.request = request
        self.pattern = pattern
        self.first = first
    }

    /// The decoded segment, or an empty text for a name that the route does not have.
    public subscript(_ name: String) -> String {
        guard let position = pattern?.position(of: name) else { return "" }
        let segments = request.pathSegments
        return first + position < segments.count ? segments[first + position] : ""
    }
}
