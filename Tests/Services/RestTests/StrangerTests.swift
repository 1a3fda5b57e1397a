import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct StrangerTests {
    /// They are the anonymous role, whose description says what that may do.
    @Test func `strangers get a description, and nothing else`() async throws {
        try await RestServer.with { server in
            let answers = try await server.application.answersToStrangers()
            // What is not there, or has no such method, is that for everybody.
            let found = answers.filter { !$0.hasSuffix(" 404") && !$0.hasSuffix(" 405") }
            #expect(found == ["GET /v1 200", "OPTIONS /v1 200"])
        }
    }
}
