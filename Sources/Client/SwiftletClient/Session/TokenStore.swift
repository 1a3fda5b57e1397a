public import Foundation

/// Keeps small secrets, each under a name, beyond the end of the app.
public protocol TokenStore: Sendable {
    /// nil if there is none of that name.
    func read(_ name: String) async throws -> Data?
    /// Replaces what was there; nil removes it.
    func write(_ secret: Data?, as name: String) async throws
}

/// Forgets everything with the process: for tests, previews, and guests.
public actor InMemoryTokenStore: TokenStore {
    private var secrets: [String: Data]

    public init(_ secrets: [String: Data] = [:]) { self.secrets = secrets }

    public func read(_ name: String) -> Data? { secrets[name] }

    public func write(_ secret: Data?, as name: String) { secrets[name] = secret }
}
