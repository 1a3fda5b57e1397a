import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What people type where recovery codes are made or used.
@Suite(.needsDatabase, .hangLimit)
struct RecoveryCodeInputTests {
    private let path = "/factors/recovery-codes"

    /// An account in a session of its second factor.
    private func raised(_ server: SignInServer) async throws -> FactorClient {
        var client = try await FactorClient(server)
        _ = try await client.raise()
        return client
    }

    @Test(arguments: ["", "-", " -- - ", "\t"])
    func `counts no attempt of who has typed nothing`(code: String) async throws {
        try await SignInServer.start().use { server in
            let ada = try await raised(server)
            let made = try await server.auth(.post, path, token: ada.token)
            func verify(_ code: String) async throws -> SignInServer.Answer {
                try await server.auth(.post, path + "/verify", ["code": .string(code)], token: ada.token)
            }
            for _ in 1...6 {
                let answer = try await verify(code)
                #expect(answer.status == 400)
                #expect(answer.code == "validation_failed")
            }
            #expect(try await verify(made["codes"]?[0]?.string ?? "").status == 200)
        }
    }

    @Test(arguments: [nil, "", "  ", "paper"] as [String?])
    func `has a name of its own, which no other factor may have`(name: String?) async throws {
        try await SignInServer.start().use { server in
            let ada = try await raised(server)
            let body: JSONValue = ["friendly_name": name.map(JSONValue.string) ?? .null]
            let answer = try await server.auth(.post, path, body, token: ada.token)
            let expected = name == "paper" ? "paper" : "Recovery codes"
            #expect(answer.text("friendly_name") == expected, "\(answer.json)")
            let stored = "SELECT friendly_name FROM auth.mfa_factors WHERE factor_type::text = 'recovery_code'"
            #expect(try server.value(stored) == expected)
            let second: JSONValue = ["factor_type": "totp", "friendly_name": .string(expected)]
            let refused = try await server.auth(.post, "/factors", second, token: ada.token)
            #expect(refused.status == 422)
            #expect(refused.code == "mfa_factor_name_conflict")
        }
    }

    @Test func `takes no name that a factor has`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await raised(server)
            _ = try await ada.enroll("Recovery codes")
            #expect(try await server.auth(.post, path, token: ada.token).code == "mfa_factor_name_conflict")
        }
    }
}
