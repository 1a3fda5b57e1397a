import EventLoop
import Postgres
import SwiftletTesting
import Testing

@testable import SignIn

@Suite(.enabled(if: TestDatabase.url != nil, "set SWIFTLET_TEST_DATABASE_URL"), .timeLimit(.minutes(1)))
struct SignInLimitsTests {
    private static let account = "ada@acme.example"
    private static let address = "203.0.113.7"

    private func isLocked(
        _ limits: SignInLimits,
        account: String = account,
        address: String = address
    ) async throws -> Int? {
        do {
            try await limits.admit(account: account, address: address)
            return nil
        } catch let error as SignInLocked {
            return error.retryAfterSeconds
        }
    }

    private func fail(
        _ times: Int,
        _ limits: SignInLimits,
        account: String = account,
        address: String = address
    ) async throws {
        for _ in 0..<times { try await limits.recordFailure(account: account, address: address) }
    }

    @Test func `locks an account at the fifth failure, for thirty minutes, whatever its case`() async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        try await fail(4, limits)
        #expect(try await isLocked(limits) == nil)
        try await fail(1, limits, account: "ADA@Acme.Example", address: "198.51.100.1")
        let wait = try #require(try await isLocked(limits))
        #expect((1795...1800).contains(wait))
        #expect(try await isLocked(limits, account: "Ada@acme.example", address: "198.51.100.2") != nil)
        #expect(try await isLocked(limits, account: "bob@acme.example") == nil)
        // Another server, or this one after a restart.
        let other = try await TestApplication.start([], databaseURL: application.databaseURL)
        #expect(try await isLocked(SignInLimits(database: other.database)) != nil)
        await other.stop()
        await application.stop()
    }

    @Test func `opens after thirty minutes, and counts from the start`() async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        try await fail(5, limits)
        try application.execute(Self.aging("29 minutes"))
        let wait = try #require(try await isLocked(limits))
        #expect((50...60).contains(wait))
        try application.execute(Self.aging("61 seconds"))
        #expect(try await isLocked(limits) == nil)
        try await fail(4, limits)
        #expect(try await isLocked(limits) == nil)
        try await fail(1, limits)
        #expect(try await isLocked(limits) != nil)
        await application.stop()
    }

    @Test func `counts failures of the last fifteen minutes only`() async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        try await fail(2, limits)
        try application.execute(Self.aging("8 minutes"))
        try await fail(2, limits)
        try application.execute(Self.aging("8 minutes"))
        // The first two are sixteen minutes old now.
        try await fail(2, limits)
        #expect(try await isLocked(limits) == nil)
        try await fail(1, limits)
        #expect(try await isLocked(limits) != nil)
        await application.stop()
    }

    @Test func `forgets an account's failures on success, not those of the address`() async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        for _ in 0..<3 {
            try await fail(4, limits)
            try await limits.recordSuccess(account: "Ada@acme.example", address: Self.address)
        }
        #expect(try await isLocked(limits) == nil)
        let rows = try await application.database.query("SELECT subject, attempt_count FROM login_attempts")
        #expect(rows.count == 1)
        #expect(rows.first?["subject"] == "address 203.0.113.7" && rows.first?["attempt_count"] == "12")
        await application.stop()
    }

    @Test(arguments: [["203.0.113.7"], ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3"]])
    func `locks an address that tries many accounts, an IPv6 network as one`(addresses: [String]) async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        for number in 0..<49 {
            let address = addresses[number % addresses.count]
            try await limits.recordFailure(account: "user-\(number)@acme.example", address: address)
        }
        #expect(try await isLocked(limits, account: "new@acme.example", address: addresses[0]) == nil)
        try await fail(1, limits, account: "last@acme.example", address: addresses[0])
        #expect(try await isLocked(limits, account: "new@acme.example", address: addresses[0]) != nil)
        #expect(try await isLocked(limits, account: "user-3@acme.example", address: "198.51.100.1") == nil)
        await application.stop()
    }

    @Test func `counts each of many failures at once, on two servers`() async throws {
        let first = try await TestApplication.start([])
        let second = try await TestApplication.start([], databaseURL: first.databaseURL)
        // 40 accounts, each failing four times at the same moment, from one address each.
        try await withThrowingTaskGroup { group in
            for attempt in 0..<160 {
                let limits = SignInLimits(database: attempt % 2 == 0 ? first.database : second.database)
                group.addTask {
                    try await limits.recordFailure(
                        account: "user-\(attempt % 40)@acme.example",
                        address: "203.0.113.\(attempt % 8)"
                    )
                }
            }
            try await group.waitForAll()
        }
        let counts = try await first.database.query(
            "SELECT min(attempt_count), max(attempt_count), count(*) FROM login_attempts WHERE subject LIKE 'account %'"
        )
        #expect(counts.first?["min"] == "4" && counts.first?["max"] == "4" && counts.first?["count"] == "40")
        let total = try await first.database.query(
            "SELECT sum(attempt_count) FROM login_attempts WHERE subject LIKE 'address %' AND locked_until IS NULL"
        )
        #expect(total.first?["sum"] == "160")
        await second.stop()
        await first.stop()
    }

    /// Everybody is admitted before anybody has failed: afterwards, neither a right nor a wrong password tells anything.
    @Test func `tells a crowd of guesses nothing beyond the fifth`() async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        let told = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do {
                        try await limits.recordFailure(account: Self.account, address: Self.address)
                        return true
                    } catch is SignInLocked {
                        return false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(told == 5)
        await #expect(throws: SignInLocked.self) {
            try await limits.recordSuccess(account: Self.account, address: Self.address)
        }
        #expect(try await isLocked(limits) != nil)
        await application.stop()
    }

    @Test func `sweeps what nobody needs any more, and nothing else`() async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        for number in 0..<12 { try await fail(1, limits, account: "user-\(number)@acme.example") }
        try application.execute(
            "INSERT INTO login_attempts (email, updated_at) VALUES ('of another server', '2020-01-01')"
        )
        try application.execute(Self.aging("50 minutes"))
        try await fail(1, limits, account: "young@acme.example")
        try application.execute(
            "UPDATE login_attempts SET updated_at = updated_at - interval '11 minutes' WHERE subject <> 'account young@acme.example'"
        )
        try await fail(2, limits, account: "young@acme.example")
        let left = try await application.database.query("SELECT email, subject FROM login_attempts ORDER BY subject")
        #expect(
            left.map { $0["subject"] } == ["account young@acme.example", "address 203.0.113.7", nil]
        )
        await application.stop()
    }

    @Test(arguments: [
        "", "a\0b@acme.example", String(repeating: "x", count: 100_000), "Ünïcödé+tag@bücher.example", "'; --",
    ])
    func `counts whatever was typed as an account`(account: String) async throws {
        let application = try await TestApplication.start([])
        let limits = SignInLimits(database: application.database)
        try await fail(5, limits, account: account, address: "")
        #expect(try await isLocked(limits, account: account.uppercased(), address: "") != nil)
        await application.stop()
    }

    private static func aging(_ interval: String) -> String {
        """
        UPDATE login_attempts SET
            failures = ARRAY(SELECT failure - interval '\(interval)' FROM unnest(failures) AS failure),
            locked_until = locked_until - interval '\(interval)',
            last_attempt_at = last_attempt_at - interval '\(interval)',
            updated_at = updated_at - interval '\(interval)'
        """
    }
}
