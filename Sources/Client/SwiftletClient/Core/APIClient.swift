public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks the server, as whoever is signed in.
///
///     let client = APIClient(configuration: .init(baseURL: url), tokens: KeychainTokenStore(service: "com.example.app"))
///     let tasks: [TaskItem] = try await client.requestArray(.tasks(my: true, status: .inProgress))
///
/// A token that has expired is refreshed once for all requests that wait for it, and each is then sent again. What can
/// be repeated safely is repeated when the connection is lost, see ``RetryPolicy``. Answers are decoded off the caller's
/// actor. All errors are ``APIError``s, except `CancellationError`.
public final class APIClient: Sendable {
    let wire: Wire
    package let keeper: SessionKeeper
    package let tokens: any TokenStore

    /// Sends through a `URLSession` of its own unless there is another way.
    public init(
        configuration: Configuration,
        tokens: any TokenStore = InMemoryTokenStore(),
        transport: (any Transport)? = nil
    ) {
        let wire = Wire(configuration: configuration, transport: transport ?? Self.session(configuration))
        self.wire = wire
        self.tokens = tokens
        keeper = SessionKeeper(store: tokens) { session in
            let answer = try await wire.send(.refresh(session.refreshToken), session: session)
            // Whatever else it answers says nothing of the token.
            if [400, 401, 403].contains(answer.status) { throw APIError.unauthorized }
            return try Self.decode(SessionResponse.self, from: answer.checked()).session(of: session.user)
        }
    }

    public var configuration: Configuration { wire.configuration }

    /// One value. Models that `swiftlet generate swift` has written bring a `decoder` of their own.
    @concurrent
    public func request<Value: Decodable & Sendable>(
        _ endpoint: APIEndpoint,
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = .swiftlet
    ) async throws -> Value {
        try Self.decode(type, from: await data(endpoint), decoder)
    }

    /// The rows of a list, wrapped (`{"data":[…]}`) or bare.
    @concurrent
    public func requestArray<Item: Decodable & Sendable>(
        _ endpoint: APIEndpoint,
        of type: Item.Type = Item.self,
        decoder: JSONDecoder = .swiftlet
    ) async throws -> [Item] {
        try Self.decode(Page<Item>.self, from: await data(endpoint), decoder).data
    }

    /// The rows of a list and what is said of its other pages.
    @concurrent
    public func requestPage<Item: Decodable & Sendable>(
        _ endpoint: APIEndpoint,
        of type: Item.Type = Item.self,
        decoder: JSONDecoder = .swiftlet
    ) async throws -> Page<Item> {
        try Self.decode(Page<Item>.self, from: await data(endpoint), decoder)
    }

    /// Nothing but success.
    @concurrent
    public func requestVoid(_ endpoint: APIEndpoint) async throws {
        _ = try await data(endpoint)
    }

    /// The bytes, of a file for example.
    @concurrent
    public func requestData(_ endpoint: APIEndpoint) async throws -> Data {
        try await data(endpoint)
    }

    /// The bytes, as this user (nil: as nobody) and as no other: nothing is sent, and ``APIError/unauthorized`` thrown,
    /// once somebody else is signed in, or nobody.
    @concurrent
    package func requestData(_ endpoint: APIEndpoint, as user: String?) async throws -> Data {
        let session = try await keeper.current()
        guard session?.user.id == user else { throw APIError.unauthorized }
        return try await answer(endpoint, session).checked()
    }

    private func data(_ endpoint: APIEndpoint) async throws -> Data {
        let answer = try await answer(endpoint)
        if answer.status == 409, answer.isRepeated, let made = try await created(by: endpoint) {
            return made
        }
        return try answer.checked()
    }

    /// Whatever the server says in the end.
    package func answer(_ endpoint: APIEndpoint) async throws -> Wire.Response {
        // Signing in needs nobody to be signed in.
        let session = endpoint.requiresAuth ? try await keeper.current() : try? await keeper.current()
        return try await answer(endpoint, session)
    }

    private func answer(_ endpoint: APIEndpoint, _ session: Session?) async throws -> Wire.Response {
        if endpoint.requiresAuth, session == nil { throw APIError.unauthorized }
        // The same for all attempts, also for that with another token.
        let endpoint = endpoint.withKey(configuration.sendsIdempotencyKeys && session != nil)
        var answer = try await wire.send(endpoint, session: session)
        if answer.status == 401, endpoint.requiresAuth, let session {
            let fresh = try await keeper.refreshed(after: session)
            let again = try await wire.send(endpoint, session: fresh)
            answer = Wire.Response(
                data: again.data,
                response: again.response,
                isRepeated: answer.isRepeated || again.isRepeated
            )
        }
        return answer
    }

    /// The row that an earlier attempt of this creation has made; nil if the id is taken by nothing that can be read.
    private func created(by endpoint: APIEndpoint) async throws -> Data? {
        guard case .creation(let id, let readBack) = endpoint.repetition else { return nil }
        var reading = APIEndpoint(.get, endpoint.path, requiresAuth: endpoint.requiresAuth)
        switch readBack {
        case .row:
            reading.path += "/\(QueryText.encoded(id))"
            do {
                return try await data(reading)
            } catch APIError.notFound {
                return nil
            }
        case .list:
            reading.query = Query.page(1, 100).items
            return RawList.row(id, in: try await data(reading))
        }
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        _ decoder: JSONDecoder = .swiftlet
    ) throws(APIError) -> Value {
        do {
            return try decoder.decode(type, from: data)
        } catch let error as DecodingError {
            throw .decoding(error.explanation)
        } catch {
            throw .decoding("\(error)")
        }
    }

    static func session(_ configuration: Configuration) -> URLSession {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = configuration.timeout
        // Files take their time; one that no longer moves ends by the timeout above.
        settings.timeoutIntervalForResource = max(3600, configuration.timeout * 2)
        return URLSession(configuration: settings)
    }
}

/// A list whose rows are left as they came.
private enum RawList {
    static func row(_ id: String, in data: Data) -> Data? {
        let list = try? JSONSerialization.jsonObject(with: data)
        let rows = (list as? [String: Any])?["data"] as? [[String: Any]] ?? list as? [[String: Any]] ?? []
        return rows.first { $0["id"] as? String == id }.flatMap { try? JSONSerialization.data(withJSONObject: $0) }
    }
}
