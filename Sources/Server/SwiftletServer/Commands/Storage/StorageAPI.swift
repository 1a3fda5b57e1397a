import SwiftletAuth
import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound

/// Speaks to `/storage/v1` of a running server with the service key.
struct StorageAPI {
    private let base: String
    private let key: String
    private let trust: Trust

    /// Larger files go in pieces of this size, both ways.
    static let pieceBytes = 8 << 20
    private static let tokenSeconds = 86_400

    /// Throws ``ConfigurationError`` without a key.
    init(_ base: String, _ environment: Environment) throws {
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        if let key = environment["SUPABASE_SERVICE_ROLE_KEY"] {
            self.key = key
        } else if let secret = environment.jwtSecret {
            let now = Int(Date().timeIntervalSince1970)
            let payload = #"{"role":"service_role","iat":\#(now),"exp":\#(now + Self.tokenSeconds)}"#
            key = try TokenIssuer(secret: Secret(secret)).issue(payload: Array(payload.utf8))
        } else {
            throw ConfigurationError(["SUPABASE_SERVICE_ROLE_KEY is missing: the key of the server (or JWT_SECRET)"])
        }
        var reader = SettingsReader(environment)
        trust = Configuration.trust(&reader)
    }

    /// Sends a request, and throws what the server says if it is refused.
    func send(
        _ method: String,
        _ path: String,
        _ body: [UInt8] = [],
        headers: [(name: String, value: String)] = [],
        expecting expected: Set<Int> = []
    ) async throws -> HTTPResponse {
        let url = path.hasPrefix("/") ? "\(base)\(path)" : "\(base)/storage/v1/\(path)"
        let authorization = [("Authorization", "Bearer \(key)"), ("apikey", key)]
        var request = HTTPRequest(method, url, body: body, headers: headers + authorization)
        request.timeout = .seconds(300)
        request.idleTimeout = request.timeout
        request.maximumBodyBytes = Self.pieceBytes + (1 << 20)
        request.redirects = method == "GET" ? 3 : 0
        let response: HTTPResponse
        do {
            response = try await HTTPEngine.background(trust: trust).send(request)
        } catch {
            throw CommandFailure("\(base): \(error)")
        }
        guard (200..<300).contains(response.status) || expected.contains(response.status) else {
            let text = String(decoding: response.body.prefix(500), as: UTF8.self)
            let message = (try? JSONParser.parse(response.body))?["message"]?.string ?? text
            throw CommandFailure("\(path): \(message) (status \(response.status))")
        }
        return response
    }

    func json(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let response = try await send(
            method,
            path,
            body.map { Array($0.description.utf8) } ?? [],
            headers: body == nil ? [] : [("Content-Type", "application/json")]
        )
        return try JSONParser.parse(response.body)
    }

    /// `bucket/name` as a part of a path.
    static func path(_ bucket: String, _ name: String) -> String {
        ([bucket] + name.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
            .map { PercentCoding.encode($0) }.joined(separator: "/")
    }
}
