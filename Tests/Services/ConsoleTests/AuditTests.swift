import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletConsole

@Suite(.needsDatabase, .hangLimit)
struct AuditTests {
    /// The operator's connection ends while the effect is under way: the request is cancelled.
    @Test func `what has been done is noted, also when nobody waits for the answer any more`() async throws {
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await ConsoleServer.with {
            $0.sendPush = { _ in
                begins.yield()
                for await _ in ends { break }
                return (true, "sent")
            }
        } _: { server in
            let session = try await server.enter(.editor)
            let task = Task {
                _ = try await session.response(
                    .post,
                    "push/send",
                    #"{"token":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0","platform":"ios","title":"t"}"#
                )
            }
            for await _ in begun { break }
            task.cancel()
            end.yield()
            let isNoted = try await eventually {
                try server.application.count("swiftlet.console_audit WHERE action = 'send push'") == 1
            }
            #expect(isNoted)
            _ = await task.result
        }
    }
}
