import Foundation
import SwiftletClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server of the tests, which answers as it is told to and keeps what it was asked.
actor ScriptedServer: Transport {
    struct Asked: Sendable {
        enum Kind: Sendable {
            case pull, push, wait
        }

        let kind: Kind
        let token: String?
        /// The cursor of a pull.
        let since: String?
        /// The numbers of the changes that are sent.
        let ids: [Int]

        /// The answer that all changes were made.
        var allApplied: String {
            let results = ids.map { #"{"id":\#($0),"status":"applied"}"# }
            return #"{"last_id":0,"results":[\#(results.joined(separator: ","))]}"#
        }
    }

    /// `number` counts requests from 1.
    typealias Answer = @Sendable (_ asked: Asked, _ number: Int) async throws -> (status: Int, body: String)

    static let nothingNew = #"{"cursor":"c","more":false,"tables":{}}"#

    private let answer: Answer
    private(set) var asked: [Asked] = []
    /// Requests that were given up before they were answered.
    private(set) var cancelled = 0

    init(_ answer: @escaping Answer) { self.answer = answer }

    func count(_ kind: Asked.Kind) -> Int { asked.count { $0.kind == kind } }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url else { throw URLError(.badURL) }
        let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let body = try? JSONSerialization.jsonObject(with: request.httpBody ?? Data()) as? [String: Any]
        let mutations = body?["mutations"] as? [[String: Any]] ?? []
        let new = Asked(
            kind: request.httpMethod == "POST" ? .push : url.path.hasSuffix("wait") ? .wait : .pull,
            token: request.value(forHTTPHeaderField: "Authorization"),
            since: query.first { $0.name == "since" }?.value,
            ids: mutations.compactMap { $0["id"] as? Int }
        )
        asked.append(new)
        let (status, text): (Int, String)
        do {
            (status, text) = try await answer(new, asked.count)
        } catch {
            if error is CancellationError { cancelled += 1 }
            throw error
        }
        guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: [:]) else {
            throw URLError(.badServerResponse)
        }
        return (Data(text.utf8), response)
    }

    /// Somebody's client of this server.
    nonisolated func client(_ user: String) throws -> APIClient {
        guard let base = URL(string: "http://127.0.0.1:1") else { throw URLError(.badURL) }
        var configuration = APIClient.Configuration(baseURL: base)
        configuration.retry.attempts = 1
        configuration.retry.sleep = { _ in await Task.yield() }
        let tokens = InMemoryTokenStore(["session": Data(Self.session(user).utf8)])
        return APIClient(configuration: configuration, tokens: tokens, transport: self)
    }

    static func session(_ user: String) -> String {
        #"{"accessToken":"\#(user)","refreshToken":"none","user":{"id":"\#(user)"}}"#
    }
}
