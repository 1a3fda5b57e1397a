import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Access tokens outlive what they were issued for, unless every server knows of its end.
@Suite(.needsDatabase, .hangLimit)
struct EndedSessionsTests {
    /// Two servers of one database, the second of which follows the list.
    private func withServers(_ body: (SignInServer, SignInServer) async throws -> Void) async throws {
        try await SignInServer.start().use { first in
            try await SignInServer.start(databaseURL: first.application.databaseURL).use { second in
                try await withThrowingTaskGroup { group in
                    group.addTask { await second.signIn.ended.keepFresh() }
                    try await body(first, second)
                    group.cancelAll()
                }
            }
        }
    }

    /// Whether functions and tables admit the session's access token.
    private func isAdmitted(_ session: SignInServer.Answer, _ server: SignInServer) -> Bool {
        (try? server.verifier.verify(bearer: Array(session.text("access_token").utf8).span)) != nil
    }

    private func becomes(
        _ isWanted: Bool,
        _ session: SignInServer.Answer,
        _ server: SignInServer
    ) async throws -> Bool {
        try await eventually { isAdmitted(session, server) == isWanted }
    }

    @Test func `refuse the tokens of a session that is signed out, on every server`() async throws {
        try await withServers { first, second in
            let left = try await first.signUp("ada@example.org")
            let kept = try await first.signIn("ada@example.org")
            // Cached as well.
            #expect(isAdmitted(left, first) && isAdmitted(left, second))
            _ = try await first.auth(.post, "/logout?scope=local", token: left.text("access_token"))
            #expect(!isAdmitted(left, first))
            #expect(try await becomes(false, left, second))
            #expect(isAdmitted(kept, first) && isAdmitted(kept, second))
            try await SignInServer.start(databaseURL: first.application.databaseURL).use { (third) async throws in
                await third.signIn.ended.refresh()
                #expect(!isAdmitted(left, third))
                #expect(isAdmitted(kept, third))
            }
        }
    }

    @Test func `refuse the tokens of a banned account until the ban is lifted`() async throws {
        try await withServers { first, second in
            let session = try await first.signUp("ada@example.org")
            let other = try await first.signUp("grace@example.org")
            let id = session["user"]?["id"]?.string ?? ""
            #expect(try await first.admin(.put, "/\(id)", ["ban_duration": "24h"]).status == 200)
            #expect(!isAdmitted(session, first))
            #expect(try await becomes(false, session, second))
            #expect(isAdmitted(other, second))
            #expect(try await first.admin(.put, "/\(id)", ["ban_duration": "none"]).status == 200)
            #expect(isAdmitted(session, first))
            #expect(try await becomes(true, session, second))
        }
    }

    @Test(arguments: [false, true])
    func `refuse the tokens of a deleted account`(isSoft: Bool) async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            let id = session["user"]?["id"]?.string ?? ""
            let answer = try await server.admin(.delete, "/\(id)", ["should_soft_delete": .bool(isSoft)])
            #expect(answer.status == 200, "\(answer.json)")
            #expect(!isAdmitted(session, server))
        }
    }

    @Test func `refuse the tokens of who knew the old password`() async throws {
        try await SignInServer.start().use { server in
            let own = try await server.signUp("ada@example.org")
            let other = try await server.signIn("ada@example.org")
            _ = try await server.auth(.put, "/user", ["password": "another horse"], token: own.text("access_token"))
            #expect(isAdmitted(own, server))
            #expect(!isAdmitted(other, server))
        }
    }

    @Test func `are kept no longer than their tokens live`() async throws {
        try await SignInServer.start { $0.accessTokenSeconds = 600 }.use { server in
            let session = try await server.signUp("ada@example.org")
            _ = try await server.auth(.post, "/logout", token: session.text("access_token"))
            let kept = "SELECT kept_until - now() BETWEEN '600 s' AND '700 s' FROM swiftlet.ended_tokens"
            #expect(try server.value(kept) == "t")
            try server.application.execute("UPDATE swiftlet.ended_tokens SET kept_until = now() - interval '1 s'")
            try await SignInServer.start(databaseURL: server.application.databaseURL).use { (later) async throws in
                await later.signIn.ended.refresh()
                #expect(isAdmitted(session, later))
            }
        }
    }

    @Test func `end by a token whose time is over, if it is genuine`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            var claims = try #require(try server.claims(session.text("access_token")).object)
            claims["exp"] = .number(JSONNumber(Int(Date().timeIntervalSince1970) - 600))
            let payload = Array(JSONValue.object(claims).description.utf8)
            let late = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: payload)
            let forged = try TokenIssuer(secret: Secret("a-secret-of-somebody-else-with-32-bytes")).issue(
                payload: payload
            )
            #expect(try await server.auth(.post, "/logout", token: forged).code == "bad_jwt")
            #expect(try await server.auth(.get, "/user", token: late).code == "bad_jwt")
            #expect(try await server.auth(.put, "/user", ["password": "another horse"], token: late).code == "bad_jwt")
            #expect(try await server.auth(.post, "/logout", token: late).status == 204)
            #expect(try await server.refresh(session.text("refresh_token")).status == 400)
        }
    }
}
