/// The values of a route's `:parameters`, percent-decoded on access.
public struct PathParameters: Sendable {
    /// nil for what has no path.
    private let segments: PathSegments?
    private let endpoint: Endpoint?
    private let first: Int

    /// `first` is the position of the segment after the function's name.
    init(_ segments: PathSegments?, _ endpoint: Endpoint? = nil, from first: Int = 0) {
        self.segments = segments
        self.endpoint = endpoint
        self.first = first
    }

    /// The decoded segment; empty for a parameter that the route does not have.
    public subscript(_ name: String) -> String {
        segment(at: endpoint?.position(of: name))
    }

    /// The route's parameters in the order of the path.
    package subscript(_ index: Int) -> String {
        segment(at: endpoint?.position(ofParameter: index))
    }

    private func segment(at position: Int?) -> String {
        guard let position, let segments else { return "" }
        return first + position < segments.count ? segments[first + position] : ""
    }
}
