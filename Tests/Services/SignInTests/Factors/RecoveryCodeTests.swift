import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Recovery codes: from the printer to the last one.
@Suite(.needsDatabase, .hangLimit)
struct RecoveryCodeTests {
    private let path = "/factors/recovery-codes"

    private func verify(_ client: FactorClient, _ code: String) async throws -> SignInServer.Answer {
        try await client.server.auth(.post, path + "/verify", ["code": .string(code)], token: client.token)
    }

    private func make(_ client: FactorClient) async throws -> [String] {
        let answer = try await client.server.auth(.post, path, token: client.token)
        #expect(answer.status == 200, "\(answer.json)")
        return answer["codes"]?.array?.compactMap(\.string) ?? []
    }

    /// Another session, below `aal2`.
    private func again(_ server: SignInServer) async throws -> FactorClient {
        FactorClient(server, try await server.signIn("ada@example.org"))
    }

    @Test func `makes ten codes, each of which raises a session once`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            #expect(try await server.auth(.get, path, token: ada.token).code == "mfa_factor_not_found")
            #expect(try await server.auth(.post, path, token: ada.token).code == "insufficient_aal")
            _ = try await ada.raise()
            let codes = try await make(ada)
            #expect(codes.count == 10)
            #expect(Set(codes).count == 10)
            #expect(codes.allSatisfy { $0.wholeMatch(of: #/[a-z2-7]{16}/#) != nil })
            #expect(try await server.auth(.post, path, token: ada.token).code == "mfa_verified_factor_exists")
            #expect(
                try server.value(
                    "SELECT count(*)::text FROM auth.mfa_recovery_codes WHERE code_hash LIKE '%\(codes[0])%'"
                )
                    == "0"
            )

            var lost = try await again(server)
            // As people write it down.
            let typed = codes[3].uppercased().enumerated().map { $0 % 4 == 0 ? " -\($1)" : "\($1)" }.joined()
            let raised = try await verify(lost, typed)
            #expect(raised.status == 200, "\(raised.json)")
            let claims = try server.claims(raised.text("access_token"))
            #expect(claims["aal"] == "aal2")
            #expect(claims["amr"]?.array?.map { $0["method"]?.string } == ["mfa/recovery_code", "password"])
            // Clients of before would stumble over the kind.
            #expect(raised["user"]?["factors"]?.array?.map { $0["factor_type"]?.string } == ["totp"])
            lost.token = raised.text("access_token")
            let status = try await server.auth(.get, path, token: lost.token)
            #expect(status["total"] == 10)
            #expect(status["remaining"] == 9)
            #expect(status["codes"] == nil)

            let third = try await again(server)
            #expect(try await verify(third, codes[3]).code == "mfa_verification_failed")
            #expect(try await verify(third, codes[4]).status == 200)
        }
    }

    private static let notices = [
        ("en", "Your recovery codes have been replaced", "A recovery code has been used", "Left: 9."),
        (
            "de", "Ihre Wiederherstellungscodes wurden ersetzt", "Ein Wiederherstellungscode wurde verwendet",
            "Übrig: 9."
        ),
        ("fr", "Vos codes de récupération ont été remplacés", "Un code de récupération a été utilisé", "restants : 9."),
        ("es", "Se han sustituido sus códigos de recuperación", "Se ha usado un código de recuperación", "Quedan: 9."),
    ]

    @Test(.enabled(if: Python.hasPackages, "no aiosmtpd: run .ci/setup test with a package index in reach"))
    func `tells the owner by SMTP of codes that are replaced or used, in four languages`() async throws {
        let box = "/tmp/swiftlet-mail-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: box, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: box) }
        let python = try PythonServer.start("mail_server.py", [box])
        var client = SMTPClient(
            host: "localhost",
            port: python.port("starttls"),
            security: .startTLS,
            user: "mailer",
            password: "p@ss word"
        )
        client.trust = .systemAnd(file: python.certificateFile)
        let sender = try #require(MailAddress(rawValue: "no-reply@app.example"))
        var mail = MailSettings(.smtp(client, sender: sender))
        mail.siteURL = "https://app.example"
        mail.externalURL = "https://api.example"
        try await SignInServer.start(mail: mail, { $0.confirmsAtOnce = true }).use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            _ = try await make(ada)
            try await server.emailsAreSent()
            var seen = Set(try FileManager.default.contentsOfDirectory(atPath: box))
            for (language, replaced, used, left) in Self.notices {
                _ = try server.value(
                    "UPDATE auth.users SET raw_user_meta_data = '{\"locale\":\"\(language)\"}' RETURNING 'done'"
                )
                let answer = try await server.auth(.post, path + "/regenerate", token: ada.token)
                let code = try #require(answer["codes"]?[0]?.string)
                let lost = try await again(server)
                #expect(try await verify(lost, "aaaa").status == 422)
                #expect(try await verify(lost, code).status == 200)
                try await server.emailsAreSent()
                var texts: [String: String] = [:]
                for name in Set(try FileManager.default.contentsOfDirectory(atPath: box)).subtracting(seen) {
                    let bytes = Array(try #require(FileManager.default.contents(atPath: "\(box)/\(name)")))
                    let sent = try JSONParser.parse(Array(bytes.prefix { $0 != UInt8(ascii: "\n") }))
                    #expect(sent["to"] == ["ada@example.org"])
                    texts[try #require(sent["headers"]?["subject"]?.string)] = sent["text"]?.string
                    seen.insert(name)
                }
                #expect(Set(texts.keys) == [replaced, used])
                #expect(texts[used]?.contains(left) == true)
            }
        }
    }

    @Test func `takes a code once from fifty at a time, from as many sessions`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            let codes = try await make(ada)
            let other = try await again(server)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...50 { group.addTask { try await self.verify(other, codes[0]).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } <= 1, "\(statuses)")
            #expect(
                try server.value("SELECT count(*)::text FROM auth.mfa_recovery_codes WHERE consumed_at IS NOT NULL")
                    == "1"
            )
        }
    }

    @Test func `replaces all codes by new ones`() async throws {
        try await SignInServer.start { $0.factors.recoveryCodes = 3 }.use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            #expect(try await server.auth(.post, path + "/regenerate", token: ada.token).code == "mfa_factor_not_found")
            let old = try await make(ada)
            let answer = try await server.auth(.post, path + "/regenerate", token: ada.token)
            let new = answer["codes"]?.array?.compactMap(\.string) ?? []
            #expect(old.count == 3 && new.count == 3)
            #expect(Set(old).isDisjoint(with: new))
            let lost = try await again(server)
            #expect(try await server.auth(.post, path + "/regenerate", token: lost.token).code == "insufficient_aal")
            #expect(try await verify(lost, old[0]).code == "mfa_verification_failed")
            #expect(try await verify(lost, new[0]).status == 200)
        }
    }

    @Test func `locks after five wrong codes, the right one too, and no other account`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            let codes = try await make(ada)
            let thief = try await again(server)
            for _ in 1...5 {
                #expect(try await verify(thief, "aaaa-bbbb-cccc-dddd").code == "mfa_verification_failed")
            }
            let locked = try await verify(thief, codes[0])
            #expect(locked.status == 429)
            #expect(locked.code == "mfa_recovery_codes_locked")
            #expect(locked.response.headers["Retry-After"] != nil)
            var bob = try await FactorClient(server, "bob@example.org")
            _ = try await bob.raise()
            let own = try await make(bob)
            #expect(try await verify(bob, codes[1]).code == "mfa_verification_failed", "another account's")
            #expect(try await verify(bob, own[0]).status == 200)
        }
    }

    @Test(arguments: ["🗝️🗝️🗝️", String(repeating: "a", count: 1000), "' OR 1=1"])
    func `refuses what is no code`(code: String) async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            _ = try await make(ada)
            let answer = try await verify(ada, code)
            #expect(answer.code == "mfa_verification_failed")
        }
    }

    @Test func `reads codes that GoTrue has stored`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            _ = try await make(ada)
            // argon2id of "abcdefgh23456765", with little work.
            let hash = Self.goTrueHash
            try server.application.execute("UPDATE auth.mfa_recovery_codes SET code_hash = '\(hash)'")
            let lost = try await again(server)
            #expect(try await verify(lost, "abcdefgh23456766").code == "mfa_verification_failed")
            #expect(try await verify(lost, "ABCD EFGH 2345 6765").status == 200)
        }
    }

    private static let goTrueHash =
        "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$mZAk2iDNMQuDbyV4zoKNmp6/uZHR/+VKS48VHKbDWYg"

    @Test func `stays never alone, and goes with the last factor`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            let (id, _) = try await ada.raise()
            _ = try await make(ada)
            let refused = try await server.auth(.delete, "/factors/\(id)", token: ada.token)
            #expect(refused.code == "mfa_recovery_codes_sole_factor")
            #expect(
                try await server.auth(.delete, path, token: try await again(server).token).code == "insufficient_aal"
            )
            #expect(try await server.auth(.delete, path, token: ada.token).status == 200)
            #expect(try server.value("SELECT count(*)::text FROM auth.mfa_recovery_codes") == "0")
            _ = try await make(ada)
            #expect(try await server.admin(.delete, "/\(ada.userID)/factors/\(id)").status == 200)
            #expect(try server.value("SELECT count(*)::text FROM auth.mfa_factors") == "0")
            // And with it the second factor.
            let free = try await again(server)
            #expect(
                try await server.auth(.put, "/user", ["password": "another horse"], token: free.token).status == 200
            )
        }
    }

    @Test func `can be turned off`() async throws {
        try await SignInServer.start {
            $0.factors.canEnrollRecoveryCodes = false
            $0.factors.canVerifyRecoveryCodes = false
        }.use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            #expect(
                try await server.auth(.post, path, token: ada.token).code == "mfa_recovery_codes_enroll_not_enabled"
            )
            #expect(try await verify(ada, "abc").code == "mfa_recovery_codes_verify_not_enabled")
        }
    }
}
