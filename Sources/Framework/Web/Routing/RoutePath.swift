/// A path pattern below a function's name, such as `"/:id/comments"`: literal segments and `:parameters`. It can only
/// come from a literal.
///
/// A parameter matches one whole segment, and handlers read it by its name from ``Context/parameters``. Slashes at the
/// ends and empty segments do not count: `"/"` is the function's own path. A `*` at the end matches one segment or more,
/// which are ``PathParameters/rest``; a path that also matches without it goes there.
public struct RoutePath: Hashable, Sendable, ExpressibleByStringLiteral {
    package let segments: [Segment]

    package enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
        /// All that follows, as the last segment.
        case rest
    }

    public init(stringLiteral value: StaticString) {
        let words = value.description.split(separator: "/")
        segments = words.enumerated().map { position, word in
            if word == "*", position == words.count - 1 { return .rest }
            return word.first == ":" ? .parameter(String(word.dropFirst())) : .literal(String(word))
        }
    }

    private init(segments: [Segment]) {
        self.segments = segments
    }

    /// Whether one of the parameters is called `token` or `secret`: the log gets the pattern in place of the path then.
    var hasSecret: Bool { segments.contains(.parameter("token")) || segments.contains(.parameter("secret")) }

    func hasParameter(_ name: String) -> Bool { segments.contains(.parameter(name)) }

    package var parameterCount: Int {
        segments.count { if case .parameter = $0 { true } else { false } }
    }

    /// Whether it matches paths of any length from its own on.
    package var hasRest: Bool { segments.last == .rest }

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
            case (.literal, .parameter), (.literal, .rest), (.parameter, .rest): return true
            case (.parameter, .literal), (.rest, .literal), (.rest, .parameter): return false
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
            case .rest: text += "/*"
            }
        }
    }
}
