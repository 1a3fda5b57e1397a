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

    /// The decoded segment as a value: `let id = try context.parameters.require("id", as: UUID.self)`.
    ///
    /// Throws ``APIError`` 400 that names the parameter for a text that is no such value, and 500 for a parameter that
    /// the route does not have.
    public func require<Value: PathValue>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        guard let position = endpoint?.position(of: name) else {
            throw APIError(.internalServerError, "INTERNAL", "The route has no parameter :\(name)")
        }
        guard let value = Value(parameter: segment(at: position)) else {
            throw APIError.validation([name: "must be \(Value.parameterKind)"])
        }
        return value
    }

    /// What the route's `*` stands for, percent-decoded, with its slashes: `2026/a.png`, also `a//b` and `a/`. Empty for a
    /// route without it.
    public var rest: String {
        guard let position = endpoint?.restPosition, let segments else { return "" }
        return segments.rest(from: first + position)
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
