/// A path pattern below a function's name, such as `"/:id/comments"`: literal segments and `:parameters`. It can only
/// come from a literal.
///
/// A parameter matches one whole segment, and handlers read it by its name from ``Context/parameters``. Slashes at the
/// ends and empty segments do not count: `"/"` is the function's own path.
public struct RoutePath: Hashable, Sendable, ExpressibleByStringLiteral {
    package let segments: [Segment]

    package enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    public init(stringLiteral value: StaticString) {
        segments = value.description.split(separator: "/").map { segment in
            segment.first == ":" ? .parameter(String(segment.dropFirst())) : .literal(String(segment))
        }
    }

    private init(segments: [Segment]) {
        self.segments = segments
    }

    package var parameterCount: Int {
        segments.count { if case .parameter = $0 { true } else { false } }
    }

    /// This path followed by `other`.
    package func appending(_ other: RoutePath) -> RoutePath {
        RoutePath(segments: segments + other.segments)
    }

    /// An order in which equal patterns are adjacent and literals come before parameters, so that `/stats` is matched
    /// before `/:id`.
    func precedes(_ other: RoutePath) -> Bool {
        guard segments.count == other.segments.count else { return segments.count < other.segments.count }
        for (mine, theirs) in zip(segments, other.segments) {
            switch (mine, theirs) {
            case (.literal(let mine), .literal(let theirs)) where mine != theirs: return mine < theirs
            case (.literal, .parameter): return true
            case (.parameter, .literal): return false
            default: continue
            }
        }
        return false
    }
}

extension RoutePath: CustomStringConvertible {
    public var description: String {
        segments.reduce(into: "") { text, segment in
            switch segment {
            case .literal(let word): text += "/" + word
            case .parameter(let name): text += "/:" + name
            }
        }
    }
}
