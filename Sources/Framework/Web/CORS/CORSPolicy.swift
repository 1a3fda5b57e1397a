/// Which origins browsers may call from.
package struct CORSPolicy: Sendable {
    /// Exact origins; `*` echoes any.
    package var origins: [String]
    /// Echoes any `localhost` or loopback origin, for development.
    package var allowsLoopback: Bool

    package init(origins: [String], allowsLoopback: Bool = false) {
        self.origins = origins
        self.allowsLoopback = allowsLoopback
    }
}
