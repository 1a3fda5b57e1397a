public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Answers from a list instead of a server, and keeps what it was asked: for tests and previews.
///
///     let transport = RecordedTransport([.json(#"{"data":[]}"#), .status(503)])
///     let client = APIClient(configuration: configuration, transport: transport)
public actor RecordedTransport: Transport {
    /// One answer, or the lack of one.
    public enum Outcome: Sendable {
        case response(status: Int, headers: [String: String], body: Data)
        case failure(URLError)

        public static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Outcome {
            var fields = headers
            fields["Content-Type"] = "application/json"
            return .response(status: status, headers: fields, body: Data(text.utf8))
        }

        public static func status(_ status: Int, headers: [String: String] = [:]) -> Outcome {
            .response(status: status, headers: headers, body: Data())
        }
    }

    private var answers: [Outcome]
    private let respond: (@Sendable (URLRequest) async -> Outcome)?
    /// What it was asked, in order.
    public private(set) var requests: [URLRequest] = []

    /// Gives the answers in their order, the last one again and again.
    public init(_ answers: [Outcome]) {
        self.answers = answers
        respond = nil
    }

    /// Decides for each request.
    public init(respond: @escaping @Sendable (URLRequest) async -> Outcome) {
        answers = []
        self.respond = respond
    }

    public func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        requests.append(request)
        switch await answer(to: request) {
        case .failure(let error): throw error
        case .response(let status, let headers, let body):
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "1.1", headerFields: headers)
            else { throw URLError(.badURL) }
            return (body, response)
        }
    }

    private func answer(to request: URLRequest) async -> Outcome {
        if let respond { return await respond(request) }
        guard answers.count > 1 else { return answers.first ?? .failure(URLError(.resourceUnavailable)) }
        return answers.removeFirst()
    }
}
