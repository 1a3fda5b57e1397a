/// What everybody may read of the server itself, without a key.
package struct PublicPages: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// `/metrics`.
    package static let metrics = PublicPages(rawValue: 1)
    /// The names of the functions: in `/health`, and in the answer to a path that is none of theirs.
    package static let functionNames = PublicPages(rawValue: 2)
    package static let all: PublicPages = [.metrics, .functionNames]
}
