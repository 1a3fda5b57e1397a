import Testing

@testable import SwiftletServer

@Suite struct AllMigrationsTests {
    private struct Plain: SwiftletApp {
        let functions: [Function] = []
        let hasMigrations = false
    }

    private struct Usual: SwiftletApp {
        let functions: [Function] = []
    }

    @Test func `an app without tables of its own needs no folder`() throws {
        try RunningApp.$current.withValue(try RunningApp(Plain())) {
            let files = try AllMigrations.load("/nowhere")
            #expect(files.count >= 8)
        }
    }

    @Test func `an app with tables does not start without them`() throws {
        RunningApp.$current.withValue(try RunningApp(Usual())) {
            #expect(throws: (any Error).self) { try AllMigrations.load("/nowhere") }
        }
    }
}
