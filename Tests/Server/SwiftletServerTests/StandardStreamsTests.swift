import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite(.hangLimit) struct StandardStreamsTests {
    @Test func `what a non-blocking pipe does not take at once is written later`() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
        let bytes = [UInt8](repeating: 120, count: 1_000_000)
        // Both sides on threads of their own: the task pool has as few threads as the machine has cores, and who blocks
        // one of them while waiting for a task may wait for ever.
        async let written = SwiftletTesting.blocking { StandardStreams.write(bytes, to: descriptor) }
        let reader = pipe.fileHandleForReading
        let received = await SwiftletTesting.blocking {
            var received = 0
            while received < bytes.count, let part = try? reader.read(upToCount: 50_000), !part.isEmpty {
                received += part.count
            }
            return received
        }
        #expect(await written == bytes.count)
        #expect(received == bytes.count)
    }

    @Test func `stops where nobody reads`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        #expect(StandardStreams.write([1, 2, 3], to: pipe.fileHandleForWriting.fileDescriptor) == 0)
    }
}
