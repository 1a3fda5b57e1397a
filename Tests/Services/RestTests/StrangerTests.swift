import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct StrangerTests {
    @Test func `strangers without a key get nothing`() async throws {
        try await RestServer.with { server in
            let answers = try await server.application.answersToStrangers()
            #expect(answers == [])
        }
    }
}
