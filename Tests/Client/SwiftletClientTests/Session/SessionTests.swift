import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct SessionTests {
    /// A server that knows the newest token only, and answers the refresh as it is told.
    private actor Server {
        private(set) var refreshes = 0
        private var number = 2
        private let refresh: @Sendable (Int) async -> RecordedTransport.Outcome

        init(_ refresh: @escaping @Sendable (Int) async -> RecordedTransport.Outcome) { self.refresh = refresh }

        func answer(_ request: URLRequest) async -> RecordedTransport.Outcome {
            switch request.path {
            case "/root/api/mobile-auth/login": return .json(Clients.session(1))
            case "/root/api/mobile-auth/refresh":
                refreshes += 1
                return await refresh(refreshes)
            case "/root/auth/v1/logout": return .status(204)
            default:
                return request.bearer == "Bearer \(Clients.token(number))"
                    ? .json(#"{"ok":true}"#) : .json("{}", status: 401)
            }
        }
    }

    private let endpoint = APIEndpoint(.get, "/api/x")

    private func signedIn(
        store: any TokenStore = InMemoryTokenStore(),
        _ server: Server
    ) async throws -> (APIClient, AuthManager) {
        let client = Clients.make(RecordedTransport { await server.answer($0) }, tokens: store)
        let auth = AuthManager(client: client)
        try await auth.login(email: "ada@example.com", password: "p")
        return (client, auth)
    }

    @Test func `fifty requests with an expired token are one refresh`() async throws {
        let server = Server { _ in
            try? await Task.sleep(for: .milliseconds(50))
            return .json(Clients.session(2))
        }
        let (client, auth) = try await signedIn(server)
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await client.requestVoid(endpoint) } }
            try await group.waitForAll()
        }
        #expect(await server.refreshes == 1)
        #expect(await auth.currentUser?.email == "ada@example.com")
    }

    @Test func `a refresh goes on when the request that began it is cancelled`() async throws {
        let server = Server { _ in
            try? await Task.sleep(for: .milliseconds(50))
            return .json(Clients.session(2))
        }
        let (client, _) = try await signedIn(server)
        let first = Task { try await client.requestVoid(endpoint) }
        try await Task.sleep(for: .milliseconds(10))
        first.cancel()
        try await client.requestVoid(endpoint)
        #expect(await server.refreshes == 1)
    }

    @Test(arguments: [400, 401, 403])
    func `a refused refresh signs out, and tells everybody`(status: Int) async throws {
        let server = Server { _ in .json(#"{"error":"invalid_grant"}"#, status: status) }
        let store = InMemoryTokenStore()
        let (client, auth) = try await signedIn(store: store, server)
        var events = auth.sessions.makeAsyncIterator()
        #expect(await events.next() == .signedIn(try #require(await auth.currentUser)))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do throws(any Error) { try await client.requestVoid(endpoint) } catch {
                        return error as? APIError == .unauthorized
                    }
                    return false
                }
            }
            #expect(await group.allSatisfy { $0 })
        }
        #expect(await server.refreshes == 1)
        #expect(await events.next() == .signedOut)
        #expect(await auth.currentUser == nil)
        #expect(await store.read("session") == nil)
    }

    @Test(arguments: [
        RecordedTransport.Outcome.status(503), .status(500), .status(429), .status(409), .failure(URLError(.timedOut)),
    ])
    func `a server that cannot answer signs nobody out`(failure: RecordedTransport.Outcome) async throws {
        let server = Server { $0 > 4 ? .json(Clients.session(2)) : failure }
        let (client, auth) = try await signedIn(server)
        while await server.refreshes < 4 {
            let error = await #expect(throws: APIError.self) { try await client.requestVoid(endpoint) }
            #expect(error != .unauthorized)
            #expect(await auth.currentUser != nil)
        }
        try await client.requestVoid(endpoint)
    }

    @Test func `whoever signs out during a refresh stays signed out`() async throws {
        let (reached, go) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let server = Server { _ in
            reached.continuation.finish()
            for await _ in go.stream {}
            return .json(Clients.session(2))
        }
        let store = InMemoryTokenStore()
        let (client, auth) = try await signedIn(store: store, server)
        let request = Task { try await client.requestVoid(endpoint) }
        for await _ in reached.stream {}
        await auth.logout()
        go.continuation.finish()
        await #expect(throws: APIError.unauthorized) { try await request.value }
        #expect(await auth.currentUser == nil)
        #expect(await store.read("session") == nil)
    }

    @Test func `one user's request does not wait for another's refused refresh`() async throws {
        let (reached, go) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let client = Clients.make(
            RecordedTransport { request in
                if request.path == "/root/api/mobile-auth/login" {
                    return .json(Clients.session(1, user: request.json["email"] as? String ?? ""))
                }
                if request.path == "/root/api/mobile-auth/refresh" {
                    guard request.json["refresh_token"] as? String == "r1-ada" else {
                        return .json(Clients.session(2, user: "bob"))
                    }
                    reached.continuation.finish()
                    for await _ in go.stream {}
                    return .json("{}", status: 401)
                }
                return request.bearer == "Bearer \(Clients.token(2, user: "bob"))"
                    ? .json("{}") : .json("{}", status: 401)
            }
        )
        let auth = AuthManager(client: client)
        try await auth.login(email: "ada", password: "p")
        let hers = Task { try await client.requestVoid(endpoint) }
        for await _ in reached.stream {}
        await auth.logout()
        try await auth.login(email: "bob", password: "p")
        try await client.requestVoid(endpoint)
        go.continuation.finish()
        await #expect(throws: APIError.unauthorized) { try await hers.value }
        #expect(await auth.currentUser?.id == "bob")
        try await client.requestVoid(endpoint)
    }

    /// As before the first unlock of a phone, which a push has started the app on.
    @Test func `a store that cannot be read yet signs nobody out`() async throws {
        let server = Server { _ in .json(Clients.session(2)) }
        let store = LockedStore()
        _ = try await signedIn(store: store, server)
        await store.lock()
        let client = Clients.make(RecordedTransport { await server.answer($0) }, tokens: store)
        let auth = AuthManager(client: client)
        #expect(await auth.restore() == nil)
        var events = auth.sessions.makeAsyncIterator()
        await #expect(throws: APIError.sessionUnreadable) { try await client.requestVoid(endpoint) }
        await #expect(throws: APIError.sessionUnreadable) { try await auth.getIdToken() }
        await store.unlock()
        try await client.requestVoid(endpoint)
        let user = try #require(await auth.currentUser)
        #expect(user.id == "u1")
        #expect(await events.next() == .signedIn(user))
    }

    @Test func `a device whose id cannot be read yet is not registered again`() async throws {
        let store = LockedStore()
        let client = Clients.make(RecordedTransport { _ in .status(500) }, tokens: store)
        await store.lock()
        let identity = DeviceIdentity(client: client)
        await #expect(throws: APIError.sessionUnreadable) { try await identity.signIn() }
        await store.unlock()
        #expect(await identity.deviceID == nil)
    }

    private actor LockedStore: TokenStore {
        private let secrets = InMemoryTokenStore()
        private var isLocked = false

        func lock() { isLocked = true }
        func unlock() { isLocked = false }

        func read(_ name: String) async throws -> Data? {
            guard !isLocked else { throw CocoaError(.fileReadNoPermission) }
            return await secrets.read(name)
        }

        func write(_ secret: Data?, as name: String) async throws { await secrets.write(secret, as: name) }
    }

    @Test func `a session survives the app, and a second one of the same store`() async throws {
        let server = Server { _ in .json(Clients.session(2)) }
        let store = InMemoryTokenStore()
        let (first, _) = try await signedIn(store: store, server)
        let second = Clients.make(RecordedTransport { await server.answer($0) }, tokens: store)
        #expect(await AuthManager(client: second).restore()?.id == "u1")
        try await first.requestVoid(endpoint)
        // What the first one has refreshed, the second one finds.
        try await second.requestVoid(endpoint)
        #expect(await server.refreshes == 1)
        #expect(await AuthManager(client: second).payload?.roleLevel == 4)
    }

    @Test func `a token that is refused after its refresh is an error, not a loop`() async throws {
        let server = Server { .json(Clients.session($0 + 10)) }
        let (client, _) = try await signedIn(server)
        await #expect(throws: APIError.unauthorized) { try await client.requestVoid(endpoint) }
        #expect(await server.refreshes == 1)
    }

    @Test func `the app hears of signing in and out`() async throws {
        let server = Server { _ in .json(Clients.session(2)) }
        let client = Clients.make(RecordedTransport { await server.answer($0) })
        let auth = AuthManager(client: client)
        var events = auth.sessions.makeAsyncIterator()
        #expect(await events.next() == .signedOut)
        let user = try await auth.login(email: "ada@example.com", password: "p")
        #expect(await events.next() == .signedIn(user))
        await auth.logout()
        #expect(await events.next() == .signedOut)
    }

    @Test(arguments: [
        ("e30.e30.x", false), ("", false), ("a.b", false), ("e30.eyJzdWIiOiIxIn0.x", true), ("a.b.c.d", false),
    ])
    func `a token that is none has no payload`(token: String, isToken: Bool) {
        #expect((JWTPayload(token) != nil) == isToken)
        #expect(JWTPayload(token)?.isExpired() != true)
    }
}
