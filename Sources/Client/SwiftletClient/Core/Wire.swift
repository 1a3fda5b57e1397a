package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Turns endpoints into requests and sends them, again if need be. It knows no session beyond the one it is given.
package struct Wire: Sendable {
    let configuration: APIClient.Configuration
    let transport: any Transport
    /// Where the last write was, for servers that read from replicas.
    let position: LastPosition

    init(configuration: APIClient.Configuration, transport: any Transport, position: LastPosition = LastPosition()) {
        self.configuration = configuration
        self.transport = transport
        self.position = position
    }

    package struct Response: Sendable {
        package let data: Data
        package let response: HTTPURLResponse
        /// An earlier request may have taken effect, although its answer did not arrive.
        package let isRepeated: Bool

        package var status: Int { response.statusCode }

        package func header(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

        /// Whether the server has refused it with this code.
        func hasCode(_ code: String) -> Bool {
            guard status == 409 || status == 503 else { return false }
            return data.count < 65_536 && data.range(of: Data("\"\(code)\"".utf8)) != nil
        }

        package func checked() throws(APIError) -> Data {
            guard (200..<300).contains(status) else { throw APIError(data, response) }
            return data
        }
    }

    func send(_ endpoint: APIEndpoint, session: Session?) async throws -> Response {
        var request = try request(endpoint, session)
        let isRead = endpoint.method == .get || endpoint.method == .head
        let carried = position.carried
        request.setValue(carried.text, forHTTPHeaderField: LastPosition.header)
        do {
            let answer = try await send(request, endpoint)
            position.answered(answer.header(LastPosition.header), to: carried, isRead: isRead)
            return answer
        } catch {
            if !isRead { position.forget() }
            throw error
        }
    }

    private func send(_ request: URLRequest, _ endpoint: APIEndpoint) async throws -> Response {
        var (request, endpoint) = (request, endpoint)
        var attempt = 1
        while true {
            let pause: TimeInterval
            do {
                let (data, response) = try await transport.send(request)
                let answer = Response(data: data, response: response, isRepeated: attempt > 1)
                if endpoint.headers[APIEndpoint.keyField] != nil, answer.hasCode(APIEndpoint.keysUnavailable) {
                    endpoint = endpoint.withoutKey
                    request.setValue(nil, forHTTPHeaderField: APIEndpoint.keyField)
                    continue
                }
                guard endpoint.isRepeatable, let seconds = self.pause(after: answer, attempt) else { return answer }
                pause = seconds
            } catch let error as URLError where error.code != .cancelled {
                guard endpoint.isRepeatable,
                    let seconds = configuration.retry.pause(after: error, attempt: attempt)
                else { throw APIError.network(error) }
                pause = seconds
            } catch is URLError {
                throw CancellationError()
            }
            try await configuration.retry.sleep(pause)
            attempt += 1
        }
    }

    /// A request of the same key that is under way will have an answer soon.
    private func pause(after answer: Response, _ attempt: Int) -> TimeInterval? {
        let isUnderWay = answer.status == 409 && answer.hasCode(APIEndpoint.keyInFlight)
        return configuration.retry.pause(
            afterStatus: isUnderWay ? 503 : answer.status,
            retryAfter: answer.response.retryAfter,
            attempt: attempt
        )
    }

    func request(_ endpoint: APIEndpoint, _ session: Session?) throws -> URLRequest {
        var request = URLRequest(url: try configuration.url(of: endpoint), timeoutInterval: configuration.timeout)
        request.httpMethod = endpoint.method.rawValue
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(configuration.clientName, forHTTPHeaderField: "X-Client")
        request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
        request.setValue(configuration.apiKey, forHTTPHeaderField: "apikey")
        request.setValue(session?.tenantID, forHTTPHeaderField: "x-tenant-id")
        if endpoint.requiresAuth, let session {
            request.setValue("Bearer \(session.accessToken)", forHTTPHeaderField: "Authorization")
        }
        for (name, value) in endpoint.headers { request.setValue(value, forHTTPHeaderField: name) }
        switch endpoint.body {
        case .json(let values):
            do {
                request.httpBody = try JSONEncoder.swiftlet.encode(values)
            } catch {
                throw APIError.invalidRequest("\(error)")
            }
        case .data(let data, let type):
            request.httpBody = data
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        case nil: break
        }
        return request
    }
}
