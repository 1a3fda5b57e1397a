import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

/// Who may call a route, by what the token says.
@Suite(.needsDatabase, .hangLimit)
struct AccessTests {
    private static let doors = Function("doors") {
        Get("/everyone") { _, context in .json(["user": .bool((try? context.user) != nil)]) }.open()
        Get("/key") { _, context in
            .json(["role": .string(try context.user.role), "tenant": .string((try? context.tenant.rawValue) ?? "none")])
        }
        .anyKey()
        Get("/user") { _, _ in .success }
        Get("/level") { _, _ in .success }.requiring(level: 5)
    }

    @Test(
        arguments: [
            (#"{"role":"anon","exp":4000000000}"#, ["role": "anon", "tenant": "none"]),
            (#"{"role":"service_role","exp":4000000000}"#, ["role": "service_role", "tenant": "none"]),
            (#"{"sub":"ann","exp":4000000000}"#, ["role": "authenticated", "tenant": "none"]),
            (
                #"{"sub":"ann","app_metadata":{"tenant_id":"a"},"exp":4000000000}"#,
                ["role": "authenticated", "tenant": "a"]
            ),
        ] as [(String, JSONValue)]
    )
    func `any valid key opens a route for keys`(claims: String, answer: JSONValue) async throws {
        try await TestApplication.with([Self.doors]) { application in
            let token = try Self.token(claims)
            let response = try await application.send(.get, "/doors/key", token: token)
            #expect(try JSONParser.parse(response.body) == answer)
            let named = try await application.send(.get, "/doors/key", headers: [("apikey", token)])
            #expect(try JSONParser.parse(named.body) == answer)
        }
    }

    @Test func `no key and a key that is not valid open none`() async throws {
        try await TestApplication.with([Self.doors]) { application in
            let missing = try await application.send(.get, "/doors/key")
            #expect(missing.status == .unauthorized)
            let expired = try await application.send(.get, "/doors/key", token: Self.token(#"{"role":"anon","exp":1}"#))
            #expect(expired.status == .unauthorized)
            let forged = try await application.send(.get, "/doors/key", token: Self.token(#"{"role":"anon"}"#) + "x")
            #expect(forged.status == .unauthorized)
        }
    }

    /// RFC 6750 §3: nothing is said of a token that was not sent.
    @Test(
        arguments: [
            (nil, "Bearer"), (#"{"sub":"ann","exp":1}"#, "token is expired"),
            (#"{"role":"anon","exp":4000000000}"#, "names no user"),
            (#"{"sub":"ann","exp":4000000000,"nbf":3900000000}"#, "not valid yet"),
            (#"{"sub":7,"exp":4000000000}"#, "claims"),
        ] as [(String?, String)]
    )
    func `a 401 says what is wrong with the token`(claims: String?, reason: String) async throws {
        try await TestApplication.with([Self.doors]) { application in
            let answer = try await application.send(.get, "/doors/user", token: claims.map(Self.token))
            #expect(answer.status == .unauthorized)
            let challenge = try #require(answer.headers[.wwwAuthenticate])
            #expect(challenge.contains(reason))
            #expect(challenge.contains("error=\"invalid_token\", error_description=") == (claims != nil))
        }
    }

    @Test(arguments: [("a.b", "malformed"), (nil, "signature")] as [(String?, String)])
    func `so it does for what is none, and for a forged one`(token: String?, reason: String) async throws {
        try await TestApplication.with([Self.doors]) { application in
            let forged = try TokenIssuer(secret: Secret("another-secret-for-tests-of-32-bytes"))
                .issue(payload: Array(#"{"sub":"ann","exp":4000000000}"#.utf8))
            let answer = try await application.send(.get, "/doors/user", token: token ?? forged)
            #expect(
                answer.headers[.wwwAuthenticate]?.contains(reason) == true,
                "\(answer.headers[.wwwAuthenticate] ?? "")"
            )
        }
    }

    @Test(arguments: ["/doors/user", "/doors/level"])
    func `a key without a person opens no route for users`(path: String) async throws {
        try await TestApplication.with([Self.doors]) { application in
            let token = try Self.token(#"{"role":"anon","exp":4000000000}"#)
            #expect(try await application.send(.get, path, token: token).status == .unauthorized)
        }
    }

    @Test func `an open route looks at no key`() async throws {
        try await TestApplication.with([Self.doors]) { application in
            let token = try Self.token(#"{"sub":"ann","exp":4000000000}"#)
            #expect(try await application.send(.get, "/doors/everyone", token: token).text == #"{"user":false}"#)
        }
    }

    @Test func `each level has its name`() {
        let names = Self.doors.routes.map(\.access.description)
        #expect(names == ["everyone", "any key", "user", "level 5"])
    }

    private static func token(_ claims: String) throws -> String {
        try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(claims.utf8))
    }
}
