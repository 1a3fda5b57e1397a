/// The routes of one function that share a path, such as `/:id/comments`: one destination per method.
///
/// A class, so that iterating over patterns that do not match costs no reference counting.
final class RoutePattern: Sendable {
    private enum Segment: Sendable {
        case literal([UInt8])
        case parameter
        case rest
    }

    private let segments: [Segment]
    let destinations: [Destination]
    let methodNotAllowed: Destination

    var count: Int { segments.count }
    let hasRest: Bool

    init(_ path: RoutePath, _ destinations: [Destination], methodNotAllowed: Destination) {
        self.destinations = destinations
        self.methodNotAllowed = methodNotAllowed
        hasRest = path.hasRest
        segments = path.segments.map { segment in
            switch segment {
            case .literal(let word): .literal(Array(word.utf8))
            case .parameter: .parameter
            case .rest: .rest
            }
        }
    }

    /// Whether `path` matches from `first` on; it must have as many segments left, or more if the pattern has a rest.
    func matches(_ path: PathSegments, from first: Int) -> Bool {
        for position in segments.indices {
            if case .literal(let word) = segments[position], !path.segment(first &+ position, equals: word) {
                return false
            }
        }
        return true
    }

    /// A GET route answers HEAD as well (RFC 9110 §9.3.2).
    func destination(for method: Method) -> Destination? {
        for destination in destinations where destination.method == method { return destination }
        return method == .head ? self.destination(for: .get) : nil
    }
}
