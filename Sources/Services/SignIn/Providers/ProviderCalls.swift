import SwiftletJSON
import SwiftletOutbound

/// Requests to a provider. Its answers are limited in size and time, and credentials follow no redirect.
struct ProviderCalls: Sendable {
    private let http: HTTPEngine
    private let timeout: Duration

    private static let maximumBodyBytes = 1 << 20

    /// Why a provider could not be asked, for the log.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ http: HTTPEngine, timeout: Duration = .seconds(10)) {
        self.http = http
        self.timeout = timeout
    }

    func get(_ url: String, token: String? = nil) async throws(Failure) -> JSONValue {
        var request = HTTPRequest("GET", url, headers: [("Accept", "application/json")])
        if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
        return try await send(request)
    }

    func post(
        _ url: String,
        _ form: [(String, String)],
        authorization: String? = nil
    ) async throws(Failure) -> JSONValue {
        try await send(Self.request(url, form, authorization))
    }

    /// Posts a form whose answer may be empty.
    func tell(_ url: String, _ form: [(String, String)], authorization: String? = nil) async throws(Failure) {
        _ = try await send(Self.request(url, form, authorization), isAnswerNeeded: false)
    }

    private static func request(_ url: String, _ form: [(String, String)], _ authorization: String?) -> HTTPRequest {
        var request = HTTPRequest("POST", url, body: Array(form.inQueryFormat.utf8))
        request.headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        if let authorization { request.headers.append(("Authorization", authorization)) }
        return request
    }

    /// Whether the address may get credentials: https, or this machine.
    static func isSafe(_ url: String) -> Bool {
        guard let address = try? WebAddress(url) else { return false }
        return address.isSecure || address.isLoopback
    }

    private func send(_ request: HTTPRequest, isAnswerNeeded: Bool = true) async throws(Failure) -> JSONValue {
        guard Self.isSafe(request.url) else {
            throw Failure(description: "\(request.url): the address must begin with https, but for this machine's own")
        }
        var request = request
        request.timeout = timeout
        request.maximumBodyBytes = Self.maximumBodyBytes
        let reply: HTTPResponse
        do throws(HTTPFailure) {
            reply = try await http.send(request)
        } catch {
            throw Failure(description: "\(request.url): \(error)")
        }
        let value = try? JSONParser.parse(reply.body)
        if reply.isSuccess, !isAnswerNeeded { return value ?? .null }
        guard reply.isSuccess, let value else {
            let error = value?["error"]?.string.map { ": \($0.prefix(100))" } ?? ""
            throw Failure(description: "\(request.url) answers \(reply.status)\(error)")
        }
        return value
    }
}
