import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb
import Testing

@testable import SwiftletSignIn

/// An account with a session, whose owner has an authenticator app.
struct FactorClient: Sendable {
    let server: SignInServer
    var token: String
    var refreshToken: String
    let userID: String

    init(_ server: SignInServer, _ email: String = "ada@example.org") async throws {
        let session = try await server.signUp(email)
        self.init(server, session)
    }

    init(_ server: SignInServer, _ session: SignInServer.Answer) {
        self.server = server
        token = session.text("access_token")
        refreshToken = session.text("refresh_token")
        userID = session["user"]?["id"]?.string ?? ""
    }

    func enroll(_ name: String = "phone") async throws -> (id: String, totp: TOTP) {
        let answer = try await server.auth(
            .post,
            "/factors",
            ["factor_type": "totp", "friendly_name": .string(name)],
            token: token
        )
        #expect(answer.status == 200, "\(answer.json)")
        return (answer.text("id"), try #require(TOTP(base32: answer["totp"]?["secret"]?.string ?? "")))
    }

    func challenge(_ id: String) async throws -> String {
        try await server.auth(.post, "/factors/\(id)/challenge", ["channel": .null], token: token).text("id")
    }

    func verify(_ id: String, _ challenge: String, _ code: String) async throws -> SignInServer.Answer {
        try await server.auth(
            .post,
            "/factors/\(id)/verify",
            ["challenge_id": .string(challenge), "code": .string(code)],
            token: token
        )
    }

    /// The code of now, or of a step from now.
    func code(_ totp: TOTP, _ distance: Int = 0) throws -> String {
        try totp.code(step: ServerClock.system.milliseconds() / 30_000 + distance)
    }

    /// A code that is wrong for the next minutes.
    func wrongCode(_ totp: TOTP) throws -> String {
        let right = try (-3...3).map { try code(totp, $0) }
        return try #require(
            ["000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777"].first {
                !right.contains($0)
            }
        )
    }

    /// Enrols an app and raises the session with it.
    mutating func raise(_ name: String = "phone") async throws -> (id: String, totp: TOTP) {
        let (id, totp) = try await enroll(name)
        let answer = try await verify(id, try await challenge(id), try code(totp, -1))
        #expect(answer.status == 200, "\(answer.json)")
        token = answer.text("access_token")
        refreshToken = answer.text("refresh_token")
        return (id, totp)
    }
}
