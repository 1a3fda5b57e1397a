import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Addresses and passwords as nobody has them, and a database that lacks what it should have.
@Suite(.needsDatabase, .hangLimit)
struct OddAddressTests {
    private static let odd = [
        "a\0b@acme.example", "\0", "'; DROP TABLE auth.users; --", String(repeating: "x", count: 200_000),
        "ada@acme.example\r\nBcc: all@acme.example", "ada", "@", " ", "Ünïcödé+tag@bücher.example",
        "\u{202E}ada@acme.example",
        "account ada@acme.example", "address 127.0.0.1", "{}", "%", "\u{FFFF}",
    ]

    @Test func `answers odd addresses and passwords as wrong ones, in both APIs`() async throws {
        try await SignInServer.start().use { server in
            for (number, text) in Self.odd.enumerated() {
                let answer = try await server.signIn(text, "some password")
                #expect(answer.status == 400, "\(text.prefix(30)): \(answer.response.text.prefix(200))")
                let login = try await server.send(
                    .post,
                    "/mobile-auth/login",
                    ["email": .string(text), "password": .string(text)],
                    headers: [("X-Forwarded-For", "198.51.100.\(number)")]
                )
                #expect(login.status == 400, "\(text.prefix(30)): \(login.response.text.prefix(200))")
            }
            #expect(try await server.signUp("ada@acme.example").status == 200)
            #expect(try await server.signIn(" ADA@acme.example ").status == 200)
            for (number, text) in Self.odd.enumerated() {
                #expect(try await server.signIn("ada@acme.example", text).status == (number < 5 ? 400 : 429))
            }
        }
    }

    /// Trouble of the database never signs anybody out.
    @Test(arguments: ["swiftlet.login_attempts", "auth.sessions", "auth.users CASCADE"])
    func `says 5xx where a table is missing`(table: String) async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@acme.example")
            try server.application.execute("DROP TABLE \(table) \(table.contains("CASCADE") ? "" : "CASCADE")")
            let answer = try await server.signIn("ada@acme.example")
            #expect((500...599).contains(answer.status), "\(answer.response.text)")
            #expect(!SignInError.Code(rawValue: answer.code).endsTheSession)
            if table != "swiftlet.login_attempts" {
                let refresh = try await server.refresh(session.text("refresh_token"))
                #expect((500...599).contains(refresh.status), "\(refresh.response.text)")
            }
        }
    }
}
