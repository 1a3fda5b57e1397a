import SwiftletTesting
import SwiftletWeb
import Testing

/// A new endpoint that asks for no token has to be named here.
@Suite(.needsDatabase, .hangLimit)
struct StrangerTests {
    @Test func `strangers are refused but where everybody may ask, and find nothing there`() async throws {
        try await FilesServer.with { files in
            let answers = try await files.application.answersToStrangers {
                $0.text.contains("headers must have required property 'authorization'")
            }
            #expect(answers == [])
        }
    }
}
