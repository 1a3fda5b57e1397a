import Foundation

/// Holds the session of a client: one for all requests, refreshed once however many of them need it.
actor SessionKeeper {
    private let store: any TokenStore
    /// Asks the server for the next tokens.
    private let exchange: @Sendable (Session) async throws -> Session
    private var session: Session?
    private var isRestored = false
    private var refreshing: Task<Session, any Error>?
    private var listeners: [UUID: AsyncStream<SessionEvent>.Continuation] = [:]

    private static let name = "session"

    init(store: any TokenStore, exchange: @escaping @Sendable (Session) async throws -> Session) {
        self.store = store
        self.exchange = exchange
    }

    /// The session, restored from the store on first use.
    func current() async -> Session? {
        if !isRestored {
            let stored = await stored()
            // Somebody may have signed in meanwhile.
            if !isRestored {
                isRestored = true
                session = stored
            }
        }
        return session
    }

    func begin(_ session: Session) async throws {
        (self.session, isRestored) = (session, true)
        tell(.signedIn(session.user))
        try await store.write(JSONEncoder().encode(session), as: Self.name)
    }

    func end() async {
        (session, isRestored) = (nil, true)
        tell(.signedOut)
        try? await store.write(nil, as: Self.name)
    }

    /// The session that follows `old`, whose token was not accepted. All who ask meanwhile wait for the same one.
    ///
    /// A refusal ends the session; a server that does not answer leaves it as it is.
    func refreshed(after old: Session) async throws -> Session {
        guard let session = await current() else { throw APIError.unauthorized }
        if session.accessToken != old.accessToken { return session }
        if let refreshing { return try await refreshing.value }
        // Not part of the request that came first: the others need it too if that one is cancelled.
        let task = Task { try await refresh(session) }
        refreshing = task
        return try await task.value
    }

    private func refresh(_ old: Session) async throws -> Session {
        defer { refreshing = nil }
        // An extension of the app has the same store.
        var next = await stored().flatMap { $0.accessToken == old.accessToken ? nil : $0 }
        if next == nil {
            do {
                next = try await exchange(old)
            } catch APIError.unauthorized {
                if session == old { await end() }
                throw APIError.unauthorized
            }
        }
        // Whoever has signed out or in meanwhile stays so.
        guard session == old, let next else {
            guard let session else { throw APIError.unauthorized }
            return session
        }
        session = next
        if session?.user != old.user { tell(.signedIn(next.user)) }
        // Without a place to keep it, it still serves until the app ends.
        try? await store.write(JSONEncoder().encode(next), as: Self.name)
        return next
    }

    private func stored() async -> Session? {
        guard let data = try? await store.read(Self.name) else { return nil }
        return try? JSONDecoder().decode(Session.self, from: data)
    }

    // MARK: - Listeners

    /// Tells how it is at first, and then each change.
    func add(_ listener: AsyncStream<SessionEvent>.Continuation) async {
        let id = UUID()
        listener.onTermination = { [weak self] _ in Task { await self?.remove(id) } }
        let session = await current()
        listener.yield(session.map { .signedIn($0.user) } ?? .signedOut)
        listeners[id] = listener
    }

    private func remove(_ id: UUID) { listeners[id] = nil }

    private func tell(_ event: SessionEvent) {
        for listener in listeners.values { listener.yield(event) }
    }
}
