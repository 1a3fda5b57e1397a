import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// An OpenID provider of PyPI, over TLS.
struct HonestProvider: Sendable {
    private let server: PythonServer
    let http: HTTPEngine

    init() throws {
        server = try PythonServer.start("provider_server.py")
        http = TestHTTP.engine(trust: .systemAnd(file: server.certificateFile))
    }

    private var issuer: String { "https://localhost:\(server.port("https"))" }

    func provider(_ change: (inout ProviderClient) -> Void = { _ in }) -> RedirectProvider {
        var client = ProviderClient(ids: ["our-server", "com.example.app"], secret: Secret("a secret of ours"))
        change(&client)
        return .openID("custom:work", issuer: issuer, client, http)
    }

    /// Makes or changes a user there.
    func put(_ subject: String, _ claims: JSONValue) async throws {
        var request = HTTPRequest("PUT", "\(issuer)/users/\(subject)", body: Array(claims.description.utf8))
        request.headers = [("Content-Type", "application/json")]
        #expect(try await http.send(request).status == 204)
    }

    /// Has the next revocations refused.
    func refuseRevocations(_ count: Int) async throws {
        #expect(try await http.send(HTTPRequest("POST", "\(issuer)/refusals/\(count)")).status == 204)
    }

    /// Those that have not been revoked.
    func refreshTokens() async throws -> [String] {
        let reply = try await http.send(HTTPRequest("GET", "\(issuer)/refresh-tokens"))
        return try JSONParser.parse(reply.body).array?.compactMap(\.string) ?? []
    }

    /// Signs in there, and gives the address that it sends the browser back to.
    func signIn(_ subject: String, at authorization: String) async throws -> String {
        var request = HTTPRequest("POST", authorization, body: Array("sub=\(subject)".utf8))
        request.headers = [("Content-Type", "application/x-www-form-urlencoded")]
        let reply = try await http.send(request)
        #expect(reply.status == 302, "\(reply.text)")
        return try #require(reply.header("Location"))
    }
}

extension SignInServer {
    /// Where `/authorize` leads.
    func authorize(_ query: String = "") async throws -> String {
        let answer = try await auth(.get, "/authorize?provider=custom:work\(query)")
        #expect(answer.status == 302, "\(answer.json)")
        return answer.response.headers[.location] ?? ""
    }

    /// Where the callback leads.
    func comeBack(_ place: String) async throws -> String {
        #expect(place.hasPrefix("https://api.example/auth/v1/callback?"), "\(place)")
        let answer = try await auth(.get, "/callback?" + (place.split(separator: "?", maxSplits: 1).last ?? ""))
        #expect([302, 303].contains(answer.status), "\(answer.json)")
        return answer.response.headers[.location] ?? ""
    }
}

/// The members of an address after a mark.
func members(of url: String, after mark: Character) -> Query {
    let parts = url.split(separator: mark, maxSplits: 1)
    guard parts.count == 2 else { return Query("") }
    return Query(String(mark == "?" ? parts[1].prefix { $0 != "#" } : parts[1]))
}
