import SwiftletTesting

/// A server of a test's own.
protocol StartedServer: Sendable {
    func stop() async
}

extension StartedServer {
    /// Stops it behind `body`, which may throw:
    ///
    ///     try await SignInServer.start().use { server in … }
    func use(_ body: (Self) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            await stop()
            throw error
        }
        await stop()
    }
}

extension TestApplication: StartedServer {}
