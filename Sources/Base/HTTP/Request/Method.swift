/// A request method. Unknown ones are parsed as well: the router answers them with 405.
public struct Method: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    // Computed, so that the compiler folds them into constants instead of lazily initialized globals.
    public static var get: Method { Method(rawValue: "GET") }
    public static var head: Method { Method(rawValue: "HEAD") }
    public static var post: Method { Method(rawValue: "POST") }
    public static var put: Method { Method(rawValue: "PUT") }
    public static var patch: Method { Method(rawValue: "PATCH") }
    public static var delete: Method { Method(rawValue: "DELETE") }
    public static var options: Method { Method(rawValue: "OPTIONS") }
    public static var connect: Method { Method(rawValue: "CONNECT") }
    public static var trace: Method { Method(rawValue: "TRACE") }
}

extension Method: CustomStringConvertible {
    public var description: String { rawValue }
}
