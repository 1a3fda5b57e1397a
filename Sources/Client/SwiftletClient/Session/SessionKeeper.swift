import Foundation

/// Holds the session of a client: one for all requests, refreshed once however many of them need it.
package actor SessionKeeper {
    private let store: any TokenStore
    /// Asks the server for the next tokens.
    private let exchange: @Sendable (Session) async throws -> Session
    private var session: Session?
    private var isRestored = false
    /// The exchange under way, and the access token that it replaces.
    private var refreshing: (token: String, task: Task<Session, any Error>)?
    /// Whether a listener waits to hear how it is at first.
    private var isAwaited = false
    private var listeners: [UUID: AsyncStream<SessionEvent>.Continuation] = [:]

    private static let name = "session"

    init(store: any TokenStore, exchange: @escaping @Sendable (Session) async throws -> Session) {
        self.store = store
        self.exchange = exchange
    }

    /// The session, restored from the store on first use.
    ///
    /// Throws ``APIError/sessionUnreadable`` while the store cannot be read, and looks again the next time.
    package func current() async throws(APIError) -> Session? {
        if !isRestored {
            let stored = await stored()
            // Somebody may have signed in meanwhile.
            if !isRestored {
                guard case .success(let restored) = stored else { throw .sessionUnreadable }
                isRestored = true
                session = restored
                if isAwaited { tell(restored.map { .signedIn($0.user) } ?? .signedOut) }
            }
        }
        return session
    }

    package func begin(_ session: Session) async throws {
        (self.session, isRestored) = (session, true)
        tell(.signedIn(session.user))
        try await store.write(JSONEncoder().encode(session), as: Self.name)
    }

    package func end() async {
        (session, isRestored) = (nil, true)
        tell(.signedOut)
        try? await store.write(nil, as: Self.name)
    }

    /// The session that follows `old`, whose token was not accepted. All who ask meanwhile wait for the same one.
    ///
    /// A refusal ends the session; a server that does not answer leaves it as it is. Once somebody else has signed in,
    /// it throws ``APIError/unauthorized``: a request of one user is never sent as another.
    func refreshed(after old: Session) async throws -> Session {
        guard let session = try await current(), session.user.id == old.user.id else { throw APIError.unauthorized }
        if session.accessToken != old.accessToken { return session }
        if let refreshing, refreshing.token == session.accessToken { return try await refreshing.task.value }
        // Not part of the request that came first: the others need it too if that one is cancelled.
        let task = Task { try await refresh(session) }
        refreshing = (session.accessToken, task)
        return try await task.value
    }

    private func refresh(_ old: Session) async throws -> Session {
        defer { if refreshing?.token == old.accessToken { refreshing = nil } }
        // An extension of the app has the same store, which may also hold who was signed in before.
        var next: Session?
        if case .success(let stored?) = await stored(), stored.user.id == old.user.id,
            stored.accessToken != old.accessToken
        {
            next = stored
        }
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
            guard let session, session.user.id == old.user.id else { throw APIError.unauthorized }
            return session
        }
        session = next
        if session?.user != old.user { tell(.signedIn(next.user)) }
        // Without a place to keep it, it still serves until the app ends.
        try? await store.write(JSONEncoder().encode(next), as: Self.name)
        return next
    }

    /// What cannot be read may be there all the same; what can be read and is no session is none.
    private func stored() async -> Result<Session?, any Error> {
        do {
            guard let data = try await store.read(Self.name) else { return .success(nil) }
            return .success(try? JSONDecoder().decode(Session.self, from: data))
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Listeners

    /// Tells how it is at first, and then each change.
    func add(_ listener: AsyncStream<SessionEvent>.Continuation) async {
        let id = UUID()
        listener.onTermination = { [weak self] _ in Task { await self?.remove(id) } }
        do throws(APIError) {
            let session = try await current()
            listener.yield(session.map { .signedIn($0.user) } ?? .signedOut)
        } catch {
            isAwaited = true
        }
        listeners[id] = listener
    }

    private func remove(_ id: UUID) { listeners[id] = nil }

    private func tell(_ event: SessionEvent) {
        for listener in listeners.values { listener.yield(event) }
    }
}
