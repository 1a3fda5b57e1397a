import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import SwiftletTesting
import Testing

/// Sessions, lost answers and restarts, over HTTP.
@Suite(.needsDatabase, .hangLimit)
struct LiveSessionTests {
    @Test func `signs in, stays signed in, and signs out`() async throws {
        try await LiveServer.with { server in
            let store = InMemoryTokenStore()
            let auth = AuthManager(client: server.client(tokens: store))
            let user = try await auth.login(email: LiveServer.email, password: LiveServer.password)
            #expect(user.displayName == "Grace Hopper")
            #expect(user.appMetadata?.tenantId == "acme")
            #expect(await auth.payload?.roleLevel == 5)
            let next = server.client(tokens: store)
            #expect(await AuthManager(client: next).restore() == user)
            try await AuthManager(client: next).refresh()
            #expect(try await TaskService(next).tasks().total == 0)
            await AuthManager(client: next).logout()
            #expect(await store.read("session") == nil)
            #expect(
                try server.value("SELECT count(*) FROM auth.sessions WHERE user_id = '\(LiveServer.userID)'") == "0"
            )
        }
    }

    @Test func `a wrong password is told to people`() async throws {
        try await LiveServer.with { server in
            let error = await #expect(throws: APIError.self) {
                try await AuthManager(client: server.client()).login(email: LiveServer.email, password: "wrong")
            }
            #expect(error?.localizedDescription == "Invalid login credentials")
            #expect(error?.requestID?.isEmpty == false)
        }
    }

    @Test func `fifty requests with an expired token are one refresh, and all are answered`() async throws {
        try await LiveServer.with { server in
            let transport = UnreliableTransport()
            let client = server.client(tokens: try await server.expiredSession(), transport: transport)
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { _ = try await TaskService(client).tasks() } }
                try await group.waitForAll()
            }
            #expect(await transport.count(of: "/api/mobile-auth/refresh") == 1)
        }
    }

    @Test func `a refused refresh signs out once, and all callers are told`() async throws {
        try await LiveServer.with { server in
            let transport = UnreliableTransport()
            let client = server.client(tokens: try await server.expiredSession(), transport: transport)
            try server.execute("DELETE FROM auth.sessions")
            var events = AuthManager(client: client).sessions.makeAsyncIterator()
            guard case .signedIn = await events.next() else {
                Issue.record("nobody was signed in")
                return
            }
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        await #expect(throws: APIError.unauthorized) { try await TaskService(client).tasks() }
                    }
                }
            }
            #expect(await events.next() == .signedOut)
            #expect(await transport.count(of: "/api/mobile-auth/refresh") == 1)
        }
    }

    @Test func `an answer to a refresh that is lost costs nobody the session`() async throws {
        try await LiveServer.with { server in
            let transport = UnreliableTransport()
            let client = server.client(tokens: try await server.expiredSession(), transport: transport) {
                $0.retry.sleep = { _ in }
            }
            #expect(try await TaskService(client).tasks().data.isEmpty)
            // The token is refreshed again, and that answer is lost: the server gives the same tokens again.
            await transport.lose(1)
            try await AuthManager(client: client).refresh()
            #expect(try await TaskService(client).tasks().data.isEmpty)
            #expect(await transport.count(of: "/api/mobile-auth/refresh") == 3)
        }
    }

    @Test func `creations whose answers are lost are made once, and answered`() async throws {
        try await LiveServer.with { server in
            let transport = UnreliableTransport()
            let client = try await server.signedIn(transport: transport) { $0.retry.sleep = { _ in } }
            await transport.lose(1)
            let task = try await TaskService(client).createTask(.init(title: "Once"))
            #expect(task.title == "Once")
            await transport.lose(2)
            let comment = try await TaskService(client).addComment(task.id, "Twice lost")
            #expect(comment.content == "Twice lost")
            #expect(try server.value("SELECT count(*) FROM tasks") == "1")
            #expect(try server.value("SELECT comment_count FROM tasks") == "1")
        }
    }

    @Test func `a server that is down for three seconds loses no creation and repeats none`() async throws {
        try await LiveServer.with { server in
            let restart = Restart(server)
            let client = try await server.signedIn {
                // The first two pauses are shorter than that, whatever chance does.
                $0.retry.sleep = { pause in if pause > 2 { try await restart.finished() } }
            }
            await server.stop()
            try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask { try await TaskService(client).createTask(.init(title: "\(number)")) }
                }
                try await group.waitForAll()
            }
            #expect(try server.value("SELECT count(*) || ' ' || count(DISTINCT title) FROM tasks") == "10 10")
            #expect(try await TaskService(client).tasks().total == 10)
        }
    }

    /// Brings the server back for the last attempt of each request.
    private actor Restart {
        private let server: LiveServer
        private var restarting: Task<Void, any Error>?

        init(_ server: LiveServer) { self.server = server }

        func finished() async throws {
            let task = restarting ?? Task { [server] in try await server.startAgain() }
            restarting = task
            try await task.value
        }
    }
}
