public import Foundation

/// Calls functions by their names: a JSON object there, a JSON object back, keys as the types spell them.
///
///     let adapter = FunctionsAdapter(url: functionsURL, auth: auth)
///     let response: Response = try await adapter.callFunction(name: "process-check-in", request: Request(…))
public struct FunctionsAdapter: Sendable {
    private let wire: Wire
    private let auth: any AuthProvider

    /// `url` is what comes before the name: `https://example.com`, or `https://example.com/functions/v1`. What it writes,
    /// `client` reads: name the one of the same server, if it has replicas.
    public init(
        url: URL,
        auth: any AuthProvider,
        apiKey: String? = nil,
        retry: RetryPolicy = RetryPolicy(),
        transport: (any Transport)? = nil,
        client: APIClient? = nil
    ) {
        var configuration = APIClient.Configuration(baseURL: url, apiKey: apiKey)
        configuration.retry = retry
        wire = Wire(
            configuration: configuration,
            transport: transport ?? APIClient.session(configuration),
            position: client?.wire.position ?? LastPosition()
        )
        self.auth = auth
    }

    /// Calls it as the signed-in user, with a fresh token if the first one is refused. Throws ``APIError``s.
    ///
    /// `isRepeatable` calls are repeated when no answer arrives: twice must be as good as once.
    @concurrent
    public func callFunction<Request: Encodable & Sendable, Response: Decodable & Sendable>(
        name: String,
        request: Request,
        isRepeatable: Bool = false
    ) async throws -> Response {
        var endpoint = APIEndpoint(
            .post,
            "/\(QueryText.encoded(name))",
            body: .data(try Self.encoded(request), contentType: "application/json"),
            repetition: isRepeatable ? .safe : .never
        )
        let token = try await auth.getIdToken()
        endpoint.headers["Authorization"] = "Bearer \(token)"
        var answer = try await wire.send(endpoint, session: nil)
        if answer.status == 401 {
            endpoint.headers["Authorization"] = "Bearer \(try await auth.getIdToken(after: token))"
            answer = try await wire.send(endpoint, session: nil)
        }
        return try APIClient.decode(Response.self, from: answer.checked())
    }

    private static func encoded(_ request: some Encodable) throws(APIError) -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        do {
            return try encoder.encode(request)
        } catch {
            throw .invalidRequest("\(error)")
        }
    }
}

/// For functions that need no body.
package struct NoValues: Codable, Sendable {
    package init() {}
}
