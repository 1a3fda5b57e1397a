import SwiftletAuth
import SwiftletEventLoop
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct StrangerTests {
    @Test func `strangers open no socket and send nothing`() async throws {
        let group = try EventLoopGroup.start(count: 1)
        let application = try await TestApplication.start { parts in
            let realtime = Realtime(
                database: parts.database,
                authentication: Authentication(verifier: parts.verifier),
                loops: group.loops,
                logger: TestApplication.silent,
                clock: { 0 }
            )
            return [realtime.function]
        }
        let answers = try await application.answersToStrangers()
        await application.stop()
        group.stop()
        #expect(answers == [])
    }
}
