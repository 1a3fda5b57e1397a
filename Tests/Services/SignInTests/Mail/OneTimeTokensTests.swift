import SwiftletAuth
import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct OneTimeTokensTests {
    private let ada = TokenTables.ada

    private func tokens(
        _ application: TestApplication,
        keys: SigningKeys? = nil,
        lifetime: Int = 3600
    ) throws -> OneTimeTokens {
        OneTimeTokens(
            AccountStore(application.database),
            keys: try keys ?? TestApplication.signingKeys(),
            lifetimeSeconds: lifetime
        )
    }

    private func make(
        _ application: TestApplication,
        _ purpose: MailPurpose,
        for user: String = TokenTables.ada,
        address: String = "ada@example.com"
    ) async throws -> OneTimeToken {
        let tokens = try tokens(application)
        let nonce = try OneTimeToken.makeNonce()
        return try await tokens.accounts.transaction {
            try await tokens.make(purpose, for: user, address: address, nonce: nonce, in: $0)
        }
    }

    private func redeem(
        _ application: TestApplication,
        _ token: OneTimeTokens.Presented
    ) async throws -> OneTimeTokens.Redeemed {
        let tokens = try tokens(application)
        return try await tokens.accounts.transaction { try await tokens.redeem(token, in: $0) }
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SignInError)?.code.rawValue ?? "\(error)"
        }
    }

    private func typed(
        _ application: TestApplication,
        _ digits: String,
        _ address: String,
        _ type: String
    ) async -> String? {
        await code { _ = try await tokens(application).takeAttempt(code: digits, address: address, type: type) }
    }

    private func refusal(_ application: TestApplication, _ proof: OneTimeTokens.Presented) async -> String? {
        await code { _ = try await redeem(application, proof) }
    }

    private func stored(_ application: TestApplication) async throws -> String {
        let row = try await application.database.query(
            "SELECT coalesce(string_agg(u::text, ' '), '') AS text FROM auth.users u"
        )
        return try #require(row.first).decode(String.self, "text")
    }

    @Test(arguments: [TokenTables.newest, TokenTables.withoutTokenTable])
    func `redeems a link once`(sql: String) async throws {
        try await TokenTables.with(sql) { application in
            let token = try await make(application, .recovery)
            let proof = try tokens(application).presented(link: token.link, type: "recovery")
            let redeemed = try await redeem(application, proof)
            #expect(redeemed.userID == ada)
            #expect(redeemed.purpose == .recovery)
            #expect(await refusal(application, proof) == "otp_expired")
            #expect(try await !stored(application).contains(token.hash))
        }
    }

    @Test(arguments: [TokenTables.newest, TokenTables.withoutTokenTable])
    func `redeems a code once, whatever the address's case`(sql: String) async throws {
        try await TokenTables.with(sql) { application in
            let token = try await make(application, .magicLink)
            #expect(token.code.count == 6)
            #expect(token.code.allSatisfy { $0.isNumber })
            let tokens = try tokens(application)
            let proof = try await tokens.takeAttempt(code: token.code, address: "Ada@Example.COM", type: "email")
            #expect(try await redeem(application, proof).userID == ada)
            #expect(await refusal(application, proof) == "otp_expired")
            let again = await typed(application, token.code, "ada@example.com", "email")
            #expect(again == "otp_expired")
        }
    }

    @Test func `stores neither link nor code`() async throws {
        try await TokenTables.with(TokenTables.newest) { application in
            let token = try await make(application, .confirmation)
            let rows = try await application.database.query("SELECT t::text AS text FROM auth.one_time_tokens t")
            let all = try await stored(application) + (try rows.first?.decode(String.self, "text") ?? "")
            #expect(all.contains(token.hash))
            #expect(!all.contains(token.link))
            // Without the key nobody gets from the hash to the digits.
            let stranger = try HMACKey(Secret("another secret of at least 32 bytes!"))
            #expect(
                try OneTimeToken.code(stranger, .confirmation, hash: token.hash, address: "ada@example.com")
                    != token.code
            )
        }
    }

    @Test func `takes code and email of before the key was replaced`() async throws {
        try await TokenTables.with(TokenTables.newest) { application in
            let keys = try TestApplication.signingKeys()
            let tokens = try tokens(application, keys: keys)
            let nonce = try OneTimeToken.makeNonce()
            let token = try await tokens.accounts.transaction {
                try await tokens.make(.recovery, for: ada, address: "ada@example.com", nonce: nonce, in: $0)
            }
            try keys.replace(SigningKey(secret: Secret("another-secret-for-tests-of-32-bytes")))
            let message = QueuedEmail(purpose: .recovery, userID: ada, address: "ada@example.com", nonce: nonce)
            #expect(try await tokens.open(message, .recovery)?.link == token.link)
            let proof = try await tokens.takeAttempt(code: token.code, address: "ada@example.com", type: "recovery")
            #expect(try await redeem(application, proof).userID == ada)
        }
    }

    @Test func `takes five guesses and then not even the right one, but the link still`() async throws {
        try await TokenTables.with(TokenTables.newest) { application in
            let token = try await make(application, .recovery)
            let tokens = try tokens(application)
            let wrong = token.code == "000000" ? "000001" : "000000"
            // All at once, so that they race for the attempts.
            let database = application.database
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        _ = try? await tokens.takeAttempt(code: wrong, address: "ada@example.com", type: "recovery")
                    }
                }
            }
            let marks = try await database.query("SELECT length(recovery_token) AS n FROM auth.users WHERE id = \(ada)")
            #expect(try marks.first?.decode(Int.self, "n") == 64 + OneTimeTokens.maximumAttempts)
            let right = await typed(application, token.code, "ada@example.com", "recovery")
            #expect(right == "otp_expired")
            let proof = try tokens.presented(link: token.link, type: "recovery")
            #expect(try await redeem(application, proof).userID == ada)
        }
    }

    @Test(arguments: [TokenTables.newest, TokenTables.withoutTokenTable])
    func `lets one of many redeemers win`(sql: String) async throws {
        try await TokenTables.with(sql) { application in
            let token = try await make(application, .recovery)
            let tokens = try tokens(application)
            let proof = try tokens.presented(link: token.link, type: "recovery")
            let winners = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        (try? await redeem(application, proof)) == nil ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(winners == 1)
        }
    }

    @Test func `gives the token back when the caller fails later`() async throws {
        struct Trouble: Error {}
        try await TokenTables.with(TokenTables.newest) { application in
            let token = try await make(application, .recovery)
            let tokens = try tokens(application)
            let proof = try tokens.presented(link: token.link, type: "recovery")
            await #expect(throws: Trouble.self) {
                try await tokens.accounts.transaction { transaction in
                    _ = try await tokens.redeem(proof, in: transaction)
                    throw Trouble()
                }
            }
            #expect(try await redeem(application, proof).userID == ada)
        }
    }

    @Test func `makes one a minute for each purpose, and the newer voids the older`() async throws {
        try await TokenTables.with(TokenTables.newest) { application in
            let first = try await make(application, .recovery)
            let error = await #expect(throws: SignInError.self) { try await make(application, .recovery) }
            #expect(error?.status == .tooManyRequests)
            #expect(error?.code == "over_email_send_rate_limit")
            let seconds = try #require(error?.retryAfterSeconds)
            #expect((50...60).contains(seconds))
            #expect(
                error?.message == "For security purposes, you can only request this after \(seconds) seconds."
            )
            _ = try await make(application, .confirmation)
            _ = try await make(application, .recovery, for: TokenTables.bob, address: "bob@example.com")
            try application.execute("UPDATE auth.users SET recovery_sent_at = now() - interval '61 seconds'")
            let second = try await make(application, .recovery)
            let tokens = try tokens(application)
            let old = try tokens.presented(link: first.link, type: "recovery")
            #expect(await refusal(application, old) == "otp_expired")
            let new = try tokens.presented(link: second.link, type: "recovery")
            #expect(try await redeem(application, new).userID == ada)
            #expect(await code { _ = try await make(application, .recovery, for: UUIDs.nobody) } == "user_not_found")
        }
    }

    @Test(arguments: [TokenTables.newest, TokenTables.withoutTokenTable])
    func `forgets after an hour`(sql: String) async throws {
        try await TokenTables.with(sql) { application in
            let token = try await make(application, .recovery)
            try application.execute("UPDATE auth.users SET recovery_sent_at = now() - interval '3601 seconds'")
            let tokens = try tokens(application)
            let proof = try tokens.presented(link: token.link, type: "recovery")
            #expect(await refusal(application, proof) == "otp_expired")
            let typed = await typed(application, token.code, "ada@example.com", "recovery")
            #expect(typed == "otp_expired")
        }
    }

    @Test func `takes a token for what it was made for only`() async throws {
        try await TokenTables.with(TokenTables.newest) { application in
            let token = try await make(application, .recovery)
            let tokens = try tokens(application)
            for type in ["signup", "email_change"] {
                let proof = try tokens.presented(link: token.link, type: type)
                #expect(await refusal(application, proof) == "otp_expired")
                let typed = await typed(application, token.code, "ada@example.com", type)
                #expect(typed == "otp_expired")
            }
            for type in ["", "sms", "reauthentication", "recovery; DROP TABLE auth.users"] {
                #expect(await code { _ = try tokens.presented(link: token.link, type: type) } == "validation_failed")
            }
            // What is stored does not open anything, nor do its like.
            for link in [token.hash, "", "' OR true --", String(repeating: "x", count: 300)] {
                let opened = await code {
                    _ = try await redeem(application, tokens.presented(link: link, type: "recovery"))
                }
                #expect(opened == "otp_expired")
            }
            let other = await typed(application, token.code, "bob@example.com", "recovery")
            #expect(other == "otp_expired")
        }
    }

    /// Anybody may ask for an address that is not theirs: that must not spoil the code of whose it is.
    @Test func `takes the code of each account that waits for the same address`() async throws {
        try await TokenTables.with(TokenTables.newest) { application in
            try application.execute("UPDATE auth.users SET email_change = 'ada@new.example'")
            let address = "ada@new.example"
            let first = try await make(application, .emailChange, address: address)
            let second = try await make(application, .emailChange, for: TokenTables.bob, address: address)
            let tokens = try tokens(application)
            for (token, user) in [(second, TokenTables.bob), (first, TokenTables.ada)] {
                let proof = try await tokens.takeAttempt(code: token.code, address: address, type: "email_change")
                #expect(try await redeem(application, proof).userID == user)
                // Put back for the other one's turn.
                try application.execute(
                    "UPDATE auth.users SET email_change_token_new = '\(token.hash)' WHERE id = '\(user)'"
                )
            }
        }
    }

    private enum UUIDs {
        static let nobody = "00000000-0000-0000-0000-00000000000f"
    }
}
