import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletSignIn

/// What a provider has granted ends with the account.
@Suite(
    .needsDatabase,
    .enabled(if: Python.hasPackages, "NO PROVIDER: .ci/setup test could not install oidc-provider-mock"),
    .hangLimit
)
struct ProviderGrantsTests {
    private let honest: HonestProvider
    private let provider: RedirectProvider

    init() async throws {
        honest = try HonestProvider()
        provider = honest.provider { $0.revokesAtDeletion = true }
        for name in ["ada", "bob"] {
            try await honest.put(name, ["email": .string("\(name)@example.org"), "email_verified": true])
        }
    }

    private func signIn(_ name: String, _ server: SignInServer) async throws -> Query {
        members(
            of: try await server.comeBack(try await honest.signIn(name, at: try await server.authorize())),
            after: "#"
        )
    }

    private func revoke(_ server: SignInServer) async throws -> Int {
        let context = server.application.application.backgroundContext(BackgroundWork(name: "grants", requestID: "-"))
        return try await #require(ProviderGrants([provider])).revoke(context)
    }

    private static let held = "SELECT count(*)::text FROM swiftlet.provider_grants"

    @Test func `is revoked once the owner has deleted the account, and again after a refusal`() async throws {
        try await SignInServer.start(redirects: [provider]).use { server in
            _ = try await signIn("ada", server)
            let session = try await signIn("ada", server)
            let kept = try await signIn("bob", server)
            let token = try #require(session["provider_refresh_token"])
            #expect(try server.value(Self.held) == "2")
            #expect(try await revoke(server) == 0)
            #expect(try await honest.refreshTokens().contains(token))

            #expect(try await server.auth(.delete, "/user", [:], token: session["access_token"]).status == 200)
            try await honest.refuseRevocations(1)
            #expect(try await revoke(server) == 0)
            #expect(try await honest.refreshTokens().contains(token))
            // Not before its time.
            #expect(try await revoke(server) == 0)
            try server.application.execute("UPDATE swiftlet.provider_grants SET due = now()")
            #expect(try await revoke(server) == 1)
            let left = try await honest.refreshTokens()
            #expect(!left.contains(token))
            #expect(left.contains(try #require(kept["provider_refresh_token"])))
            #expect(try server.value(Self.held) == "1")
            #expect(try await revoke(server) == 0)
        }
    }

    @Test(arguments: [false, true])
    func `is revoked after an administrator's deletion`(isSoft: Bool) async throws {
        try await SignInServer.start(redirects: [provider]).use { server in
            let session = try await signIn("ada", server)
            let id = try await server.auth(.get, "/user", token: session["access_token"]).text("id")
            let deleted = try await server.admin(.delete, "/\(id)", ["should_soft_delete": .bool(isSoft)])
            #expect(deleted.status == 200, "\(deleted.json)")
            #expect(try await revoke(server) == 1)
            #expect(try await honest.refreshTokens() == [])
        }
    }

    @Test func `is given up after twelve attempts`() async throws {
        try await SignInServer.start(redirects: [provider]).use { server in
            _ = try await signIn("ada", server)
            try server.application.execute(
                "DELETE FROM auth.users; UPDATE swiftlet.provider_grants SET attempts = 11"
            )
            try await honest.refuseRevocations(1)
            #expect(try await revoke(server) == 0)
            #expect(try server.value(Self.held) == "0")
        }
    }

    @Test func `is not kept unless it is to be revoked`() async throws {
        try await SignInServer.start(redirects: [honest.provider()]).use { server in
            _ = try await signIn("ada", server)
            #expect(try server.value(Self.held) == "0")
            #expect(ProviderGrants([honest.provider()]) == nil)
        }
    }
}
