package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Turns endpoints into requests and sends them, again if need be. It knows no session beyond the one it is given.
package struct Wire: Sendable {
    let configuration: APIClient.Configuration
    let transport: any Transport

    package struct Response: Sendable {
        package let data: Data
        package let response: HTTPURLResponse
        /// An earlier request may have taken effect, although its answer did not arrive.
        package let isRepeated: Bool

        package var status: Int { response.statusCode }

        package func header(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

        package func checked() throws(APIError) -> Data {
            guard (200..<300).contains(status) else { throw APIError(data, response) }
            return data
        }
    }

    func send(_ endpoint: APIEndpoint, session: Session?) async throws -> Response {
        let request = try request(endpoint, session)
        let retry = configuration.retry
        var attempt = 1
        while true {
            let pause: TimeInterval
            do {
                let (data, response) = try await transport.send(request)
                guard endpoint.isRepeatable,
                    let seconds = retry.pause(
                        afterStatus: response.statusCode,
                        retryAfter: response.retryAfter,
                        attempt: attempt
                    )
                else { return Response(data: data, response: response, isRepeated: attempt > 1) }
                pause = seconds
            } catch let error as URLError where error.code != .cancelled {
                guard endpoint.isRepeatable, let seconds = retry.pause(after: error, attempt: attempt) else {
                    throw APIError.network(error)
                }
                pause = seconds
            } catch is URLError {
                throw CancellationError()
            }
            try await retry.sleep(pause)
            attempt += 1
        }
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

extension APIEndpoint {
    fileprivate var isRepeatable: Bool {
        if case .never = repetition { return false }
        return true
    }
}
