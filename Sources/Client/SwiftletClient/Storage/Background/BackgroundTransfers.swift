public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What sends files on its own, whatever becomes of the app: on Apple's systems `BackgroundSession`.
public protocol BackgroundTransfers: Sendable {
    /// Sends the file as the request's body, under this name, and does not wait for it.
    func start(_ request: URLRequest, from file: URL, as id: String) async throws
    /// The names of those under way; no more of one whose end is told.
    func running() async -> Set<String>
}
