import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// 200 random lives of sessions on two servers: clients that lose answers, ask twice at once, repeat old requests, and
/// thieves who copy a token. Nobody who did not steal is signed out; where somebody did, everybody with a copy is.
@Suite(.needsDatabase, .hangLimit)
struct RefreshPropertyTests {
    @Test func `signs nobody out who did not steal, and every thief`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        // With an interval of a second generation's replay is no theft yet; without, every one of them is.
        let patient = try await Pair.start(reuseInterval: 10, databaseURL: nil)
        let strict = try await Pair.start(reuseInterval: 0, databaseURL: patient.url)
        _ = try await patient.first.signUp("ada@example.org")
        for number in 0..<200 {
            var random = SplitMix(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
            let mark: Comment = "seed \(seed), life \(number)"
            switch number % 3 {
            case 0: try await liveHonestly(on: patient, repeatsOldRequests: true, &random, mark)
            case 1: try await liveHonestly(on: strict, repeatsOldRequests: false, &random, mark)
            default: try await liveWithThief(on: strict, &random, mark)
            }
        }
        // One chain each: never two tokens that count.
        let doubled = try patient.first.value(
            """
            SELECT count(*) FROM (
                SELECT FROM auth.refresh_tokens WHERE NOT revoked GROUP BY session_id HAVING count(*) > 1
            ) AS doubled
            """
        )
        #expect(doubled == "0", "seed \(seed)")
        await strict.stop()
        await patient.stop()
    }

    /// Two servers of one database.
    private struct Pair: Sendable {
        let first: SignInServer
        let second: SignInServer

        static func start(reuseInterval: Int, databaseURL: String?) async throws -> Pair {
            let first = try await SignInServer.start(databaseURL: databaseURL) {
                $0.reuseIntervalSeconds = reuseInterval
            }
            let second = try await SignInServer.start(databaseURL: first.application.databaseURL) {
                $0.reuseIntervalSeconds = reuseInterval
            }
            return Pair(first: first, second: second)
        }

        var url: String { first.application.databaseURL }

        func any(_ random: inout SplitMix) -> SignInServer { random.below(2) == 0 ? first : second }

        func stop() async {
            await first.stop()
            await second.stop()
        }
    }

    private func liveHonestly(
        on pair: Pair,
        repeatsOldRequests: Bool,
        _ random: inout SplitMix,
        _ mark: Comment
    ) async throws {
        var token = try await pair.any(&random).signIn("ada@example.org").text("refresh_token")
        var sent = [token]
        for _ in 0..<(4 + random.below(8)) {
            sent.append(token)
            switch random.below(repeatsOldRequests ? 4 : 3) {
            case 0:
                let answer = try await pair.any(&random).refresh(token)
                #expect(answer.status == 200, mark)
                token = answer.text("refresh_token")
            case 1:
                // The answer is lost: the client still has the old one.
                let answer = try await pair.any(&random).refresh(token)
                #expect(answer.status == 200, mark)
            case 2:
                let copies = 2 + random.below(3)
                let held = token
                let answers = try await withThrowingTaskGroup { group in
                    for copy in 0..<copies {
                        group.addTask { try await (copy % 2 == 0 ? pair.first : pair.second).refresh(held) }
                    }
                    return try await group.reduce(into: [SignInServer.Answer]()) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status == 200 }, mark)
                #expect(Set(answers.map { $0.text("refresh_token") }).count == 1, mark)
                token = answers[random.below(copies)].text("refresh_token")
            default:
                // A request that was stuck somewhere arrives; nobody waits for its answer.
                let answer = try await pair.any(&random).refresh(sent[random.below(sent.count)])
                #expect(answer.status == 200, mark)
            }
        }
        #expect(try await pair.any(&random).refresh(token).status == 200, mark)
    }

    private func liveWithThief(on pair: Pair, _ random: inout SplitMix, _ mark: Comment) async throws {
        let other = try await pair.any(&random).signIn("ada@example.org").text("refresh_token")
        var client = Holder(token: try await pair.any(&random).signIn("ada@example.org").text("refresh_token"))
        for _ in 0..<random.below(4) { try await client.refresh(on: pair.any(&random), mark) }
        #expect(client.isSignedIn, mark)
        var thief = client
        for _ in 0..<random.below(6) {
            if random.below(2) == 0 {
                try await client.refresh(on: pair.any(&random), mark)
            } else {
                try await thief.refresh(on: pair.any(&random), mark)
            }
        }
        // Sooner or later one of them goes two steps while the other goes none.
        for _ in 0..<3 { try await thief.refresh(on: pair.any(&random), mark) }
        try await client.refresh(on: pair.any(&random), mark)
        try await thief.refresh(on: pair.any(&random), mark)
        #expect(!client.isSignedIn, mark)
        #expect(!thief.isSignedIn, mark)
        for token in [client.token, thief.token] {
            for server in [pair.first, pair.second] {
                #expect(try await server.refresh(token).code == "refresh_token_not_found", mark)
            }
        }
        #expect(try await pair.any(&random).refresh(other).status == 200, mark)
    }

    /// Somebody with a token, who goes on as long as they are let.
    private struct Holder {
        var token: String
        var isSignedIn = true

        mutating func refresh(on server: SignInServer, _ mark: Comment) async throws {
            guard isSignedIn else { return }
            let answer = try await server.refresh(token)
            if answer.status == 200 {
                token = answer.text("refresh_token")
            } else {
                #expect(["refresh_token_already_used", "refresh_token_not_found"].contains(answer.code), mark)
                isSignedIn = false
            }
        }
    }

    /// The generator of Steele, Lea and Flood (2014): the same life for the same seed.
    private struct SplitMix {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func below(_ limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((word ^ (word >> 31)) % UInt64(limit))
        }
    }
}
