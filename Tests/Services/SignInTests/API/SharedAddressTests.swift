import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Several people behind one public address, and somebody who guesses there.
@Suite(.needsDatabase, .hangLimit)
struct SharedAddressTests {
    private static let office: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.7")]
    private static let paths = ["/auth/v1/token?grant_type=password", "/mobile-auth/login"]

    private func signIn(
        _ server: SignInServer,
        _ email: String,
        _ password: String = SignInServer.password,
        path: String = paths[0],
        headers: [(Headers.Name, String)] = office
    ) async throws -> SignInServer.Answer {
        let body: JSONValue = ["email": .string(email), "password": .string(password)]
        return try await server.send(.post, path, body, headers: headers)
    }

    @Test(arguments: paths)
    func `locks a public address at the fifth failure, but for those who have been there before`(
        path: String
    ) async throws {
        try await SignInServer.start().use { server in
            for name in ["ada", "bob", "eve"] { #expect(try await server.signUp("\(name)@acme.example").status == 200) }
            #expect(try await signIn(server, "ada@acme.example", path: path).status == 200)
            for number in 0..<5 {
                #expect(try await signIn(server, "user-\(number)@acme.example", path: path).status == 400)
            }
            let locked = try await signIn(server, "bob@acme.example", path: path)
            #expect(locked.status == 429)
            #expect(locked.response.headers[.retryAfter].flatMap(Int.init).map { (1790...1800).contains($0) } == true)
            #expect(locked.code == (path == Self.paths[0] ? "over_request_rate_limit" : "account_locked"))
            // From elsewhere he gets in.
            let elsewhere: [(Headers.Name, String)] = [("X-Forwarded-For", "198.51.100.1")]
            #expect(try await signIn(server, "bob@acme.example", path: path, headers: elsewhere).status == 200)

            // Who is at home there has a limit of her own, in both APIs.
            #expect(try await signIn(server, "Ada@acme.example", path: path).status == 200)
            for attempt in 0..<6 {
                let guess = try await signIn(server, "ada@acme.example", "wrong", path: Self.paths[attempt % 2])
                #expect(guess.status == (attempt < 5 ? 400 : 429))
            }
            #expect(try await signIn(server, "ada@acme.example", path: path).status == 429)
        }
    }

    @Test func `knows nobody by name behind an address that forwards for nobody`() async throws {
        try await SignInServer.start().use { (server) async throws in
            let gateway: [(Headers.Name, String)] = [("X-Forwarded-For", "172.17.0.1")]
            #expect(try await server.signUp("ada@acme.example").status == 200)
            #expect(try await signIn(server, "ada@acme.example", headers: gateway).status == 200)
            for number in 0..<50 {
                #expect(try await signIn(server, "user-\(number)@acme.example", headers: gateway).status == 400)
            }
            #expect(try await signIn(server, "ada@acme.example", headers: gateway).status == 429)
        }
    }

    /// GoTrue's tables of 2022: nothing says where anybody has been.
    @Test func `locks where sessions keep no address`() async throws {
        try await SignInServer.start(sql: "ALTER TABLE auth.sessions DROP COLUMN ip").use { (server) async throws in
            #expect(try await server.signUp("ada@acme.example").status == 200)
            #expect(try await signIn(server, "ada@acme.example").status == 200)
            for number in 0..<5 { #expect(try await signIn(server, "user-\(number)@acme.example").status == 400) }
            #expect(try await signIn(server, "ada@acme.example").status == 429)
        }
    }
}
