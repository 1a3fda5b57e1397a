/// Signs in and out, and knows who is signed in.
///
///     let auth = AuthManager(client: client)
///     let user = try await auth.login(email: email, password: password)
///
/// All managers of one client share its session.
public struct AuthManager: Sendable {
    let client: APIClient

    public init(client: APIClient) { self.client = client }

    /// Throws ``APIError/refused(_:)`` for a wrong password.
    @discardableResult
    public func login(email: String, password: String) async throws -> AuthUser {
        try await begin(client.request(.login(email: email, password: password)) as SessionResponse)
    }

    /// Gets new tokens. It is rarely needed: a request whose token has expired does it by itself.
    @discardableResult
    public func refresh() async throws -> AuthUser {
        guard let session = try await client.keeper.current() else { throw APIError.unauthorized }
        return try await client.keeper.refreshed(after: session).user
    }

    /// Signs out here at once, and on the server if it can be reached.
    public func logout() async {
        let session = try? await client.keeper.current()
        await client.keeper.end()
        guard let session else { return }
        _ = try? await client.wire.send(.logout, session: session)
    }

    /// Who was signed in when the app ended, and still is; nil if nobody was, and while the token store cannot be read.
    ///
    /// Before the first unlock of a device, for example, requests throw ``APIError/sessionUnreadable``. Ask again later.
    @discardableResult
    public func restore() async -> AuthUser? { await currentUser }

    /// nil if nobody is signed in, as far as the token store can be read.
    public var currentUser: AuthUser? {
        get async { try? await client.keeper.current()?.user }
    }

    /// What the current access token says.
    public var payload: JWTPayload? {
        get async { (try? await client.keeper.current()).flatMap { JWTPayload($0.accessToken) } }
    }

    /// Whether somebody is signed in: now, and whenever that changes. While the token store cannot be read, it waits.
    public var sessions: AsyncStream<SessionEvent> {
        let keeper = client.keeper
        return AsyncStream { listener in Task { await keeper.add(listener) } }
    }

    @discardableResult
    package func begin(_ answer: SessionResponse) async throws -> AuthUser {
        let session = try answer.session()
        try await client.keeper.begin(session)
        return session.user
    }
}

extension APIEndpoint {
    public static func login(email: String, password: String) -> APIEndpoint {
        APIEndpoint(
            .post,
            "/api/mobile-auth/login",
            body: .json(["email": email, "password": password]),
            requiresAuth: false
        )
    }

    /// Twice is as good as once: the server gives the same tokens to a client that has lost its answer.
    static func refresh(_ token: String) -> APIEndpoint {
        APIEndpoint(
            .post,
            "/api/mobile-auth/refresh",
            body: .json(["refresh_token": token]),
            requiresAuth: false,
            repetition: .safe
        )
    }

    static var logout: APIEndpoint { APIEndpoint(.post, "/auth/v1/logout") }
}
