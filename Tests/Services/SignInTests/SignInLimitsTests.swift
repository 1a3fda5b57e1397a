import SwiftletEventLoop
import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

extension SignInLimits {
    fileprivate init(database: Database) {
        self.init(AccountStore(database))
    }
}

@Suite(.needsDatabase, .hangLimit)
struct SignInLimitsTests {
    private static let account = "ada@acme.example"
    private static let address = "203.0.113.7"
    /// Of a proxy that does not say for whom it asks.
    private static let network = "172.17.0.1"

    private func isLocked(
        _ limits: SignInLimits,
        account: String = account,
        address: String = address
    ) async throws -> Int? {
        do {
            try await limits.admit(account: account, address: address)
            return nil
        } catch let error as SignInError where error.status == .tooManyRequests {
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
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(database: application.database)
            try await fail(4, limits)
            #expect(try await isLocked(limits) == nil)
            try await fail(1, limits, account: "ADA@Acme.Example", address: "198.51.100.1")
            let wait = try #require(try await isLocked(limits))
            #expect((1795...1800).contains(wait))
            #expect(try await isLocked(limits, account: "Ada@acme.example", address: "198.51.100.2") != nil)
            #expect(try await isLocked(limits, account: "bob@acme.example") == nil)
            // A code by mail is another thing to guess.
            try await limits.admit(account: Self.account, by: .code, address: Self.address)
            // Another server, or this one after a restart.
            try await TestApplication.start([], databaseURL: application.databaseURL).use { (other) async throws in
                #expect(try await isLocked(SignInLimits(database: other.database)) != nil)
            }
        }
    }

    @Test func `opens after thirty minutes, and counts from the start`() async throws {
        try await TestApplication.start([]).use { application in
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
        }
    }

    @Test func `counts failures of the last fifteen minutes only`() async throws {
        try await TestApplication.start([]).use { application in
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
        }
    }

    @Test func `forgets an account's failures on success, not those of the address`() async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(database: application.database)
            for _ in 0..<3 {
                try await fail(4, limits, address: Self.network)
                try await limits.recordSuccess(account: "Ada@acme.example", address: Self.network)
            }
            #expect(try await isLocked(limits, address: Self.network) == nil)
            let rows = try await application.database.query(
                "SELECT subject, attempt_count FROM swiftlet.login_attempts"
            )
            #expect(rows.count == 1)
            #expect(rows.first?["subject"] == "address 172.17.0.1")
            #expect(rows.first?["attempt_count"] == "12")
        }
    }

    @Test(arguments: [
        (["203.0.113.7"], 5), (["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3"], 5),
        // Nobody knows how many people these are.
        (["172.17.0.1"], 50), (["127.0.0.1"], 50), (["fd00::1"], 50), ([""], 50),
    ])
    func `locks an address that tries many accounts`(addresses: [String], failures: Int) async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(database: application.database)
            for number in 1..<failures {
                let address = addresses[number % addresses.count]
                try await limits.recordFailure(account: "user-\(number)@acme.example", address: address)
            }
            #expect(try await isLocked(limits, account: "new@acme.example", address: addresses[0]) == nil)
            try await fail(1, limits, account: "last@acme.example", address: addresses[0])
            for address in addresses {
                let wait = try #require(try await isLocked(limits, account: "new@acme.example", address: address))
                #expect((1795...1800).contains(wait))
            }
            #expect(try await isLocked(limits, account: "user-3@acme.example", address: "198.51.100.1") == nil)
            // The next /64 is somebody else's.
            #expect(try await isLocked(limits, account: "new@acme.example", address: "2001:db8:1:3::1") == nil)
        }
    }

    /// Somebody with sessions from each of these addresses.
    private static func regular(_ email: String, from addresses: String...) -> String {
        """
        WITH new AS (
            INSERT INTO auth.users (id, instance_id, email)
            VALUES (gen_random_uuid(), '00000000-0000-0000-0000-000000000000', '\(email)') RETURNING id
        )
        INSERT INTO auth.sessions (id, user_id, not_after, ip)
        SELECT gen_random_uuid(), id, '2020-01-01', ip::inet
        FROM new, unnest(ARRAY['\(addresses.joined(separator: "', '"))']) AS ip;
        """
    }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7", true), ("203.0.113.7", "203.0.113.8", false),
        ("2001:db8:1:2::9", "2001:db8:1:2:aaaa::1", true), ("2001:db8:1:2::9", "2001:db8:1:3::9", false),
        ("172.17.0.1", "172.17.0.1", false), ("fd00::1", "fd00::1", false),
    ])
    func `admits to a locked address who has been there before`(
        locked: String,
        known: String,
        isAdmitted: Bool
    ) async throws {
        try await TestApplication.start([], sql: Self.regular(Self.account, from: "9.9.9.9", known)).use {
            application in
            let limits = SignInLimits(database: application.database)
            for number in 0..<50 {
                do {
                    try await fail(1, limits, account: "user-\(number)@acme.example", address: locked)
                } catch let error as SignInError where error.status == .tooManyRequests {}
            }
            #expect(try await isLocked(limits, account: "bob@acme.example", address: locked) != nil)
            #expect(try await (isLocked(limits, account: "Ada@Acme.example", address: locked) == nil) == isAdmitted)
            if isAdmitted {
                try await limits.recordSuccess(account: Self.account, address: locked)
                try await limits.admit(account: Self.account, by: .code, address: locked)
            } else {
                await #expect(throws: SignInError.self) {
                    try await limits.recordSuccess(account: Self.account, address: locked)
                }
            }
        }
    }

    @Test func `gives who has been there before five guesses all the same, and prolongs no lock`() async throws {
        let sql = Self.regular(Self.account, from: Self.address) + Self.regular("bob@acme.example", from: Self.address)
        try await TestApplication.start([], sql: sql).use { application in
            let limits = SignInLimits(database: application.database)
            for number in 0..<5 { try await fail(1, limits, account: "user-\(number)@acme.example") }
            try application.execute(Self.aging("10 minutes"))
            try await fail(5, limits)
            let wait = try #require(try await isLocked(limits))
            #expect((1795...1800).contains(wait))
            await #expect(throws: SignInError.self) { try await fail(1, limits) }
            await #expect(throws: SignInError.self) {
                try await limits.recordSuccess(account: Self.account, address: Self.address)
            }
            #expect(try await isLocked(limits, account: "bob@acme.example") == nil)
            let left = try #require(try await isLocked(limits, account: "eve@acme.example"))
            #expect((1190...1200).contains(left))
            let rows = try await application.database.query(
                "SELECT attempt_count FROM swiftlet.login_attempts WHERE subject = \("address " + Self.address)"
            )
            #expect(rows.first?["attempt_count"] == "5")
        }
    }

    @Test func `locks strangers out, not who has been there before`() async throws {
        try await TestApplication.start([], sql: Self.regular(Self.account, from: Self.address)).use { application in
            let limits = SignInLimits(database: application.database)
            for number in 1...5 { try await fail(1, limits, address: "198.51.100.\(number)") }
            #expect(try await isLocked(limits, address: "198.51.100.9") != nil)
            #expect(try await isLocked(limits) == nil)
            // The five attempts there are their own.
            try await fail(4, limits)
            try await limits.recordSuccess(account: Self.account, address: Self.address)
            try await fail(4, limits)
            #expect(try await isLocked(limits) == nil)
            try await fail(1, limits)
            #expect(try await isLocked(limits) != nil)
        }
    }

    @Test func `counts each of many failures at once, on two servers`() async throws {
        try await TestApplication.start([]).use { first in
            try await TestApplication.start([], databaseURL: first.databaseURL).use { second in
                // 40 accounts, each failing four times at the same moment, from one address each.
                try await withThrowingTaskGroup { group in
                    for attempt in 0..<160 {
                        let limits = SignInLimits(database: attempt % 2 == 0 ? first.database : second.database)
                        group.addTask {
                            try await limits.recordFailure(
                                account: "user-\(attempt % 40)@acme.example",
                                address: "10.0.0.\(attempt % 8)"
                            )
                        }
                    }
                    try await group.waitForAll()
                }
                let counts = try await first.database.query(
                    "SELECT min(attempt_count), max(attempt_count), count(*) FROM swiftlet.login_attempts WHERE subject LIKE 'account %'"
                )
                #expect(counts.first?["min"] == "4")
                #expect(counts.first?["max"] == "4")
                #expect(counts.first?["count"] == "40")
                let total = try await first.database.query(
                    "SELECT sum(attempt_count) FROM swiftlet.login_attempts WHERE subject LIKE 'address %' AND locked_until IS NULL"
                )
                #expect(total.first?["sum"] == "160")
            }
        }
    }

    /// Everybody is admitted before anybody has failed: afterwards, neither a right nor a wrong password tells
    /// anything. One account from an address that is nobody's, many accounts from one address, and one that is at home
    /// there.
    @Test(arguments: [(1, Self.network, false), (40, Self.address, false), (1, Self.address, true)])
    func `tells a crowd of guesses nothing beyond the fifth`(
        accounts: Int,
        address: String,
        isKnown: Bool
    ) async throws {
        let sql = isKnown ? Self.regular("user-0@acme.example", from: address) : ""
        try await TestApplication.start([], sql: sql).use { application in
            let limits = SignInLimits(database: application.database)
            if isKnown {
                for number in 1...5 {
                    try await fail(1, limits, account: "user-\(number)@acme.example", address: address)
                }
            }
            let told = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        do {
                            try await limits.recordFailure(
                                account: "user-\(number % accounts)@acme.example",
                                address: address
                            )
                            return true
                        } catch let error as SignInError where error.status == .tooManyRequests {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(told == 5)
            await #expect(throws: SignInError.self) {
                try await limits.recordSuccess(account: "user-0@acme.example", address: address)
            }
            #expect(try await isLocked(limits, account: "user-0@acme.example", address: address) != nil)
        }
    }

    @Test func `sweeps what nobody needs any more, and nothing else`() async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(database: application.database)
            for number in 0..<12 {
                try await fail(1, limits, account: "user-\(number)@acme.example", address: Self.network)
            }
            try application.execute(
                "INSERT INTO swiftlet.login_attempts (email, updated_at) VALUES ('of another server', '2020-01-01')"
            )
            try application.execute(Self.aging("50 minutes"))
            try await fail(1, limits, account: "young@acme.example", address: Self.network)
            try application.execute(
                "UPDATE swiftlet.login_attempts SET updated_at = updated_at - interval '11 minutes' WHERE subject <> 'account young@acme.example'"
            )
            try await fail(2, limits, account: "young@acme.example", address: Self.network)
            let left = try await application.database.query(
                "SELECT email, subject FROM swiftlet.login_attempts ORDER BY subject"
            )
            #expect(
                left.map { $0["subject"] } == ["account young@acme.example", "address 172.17.0.1", nil]
            )
        }
    }

    @Test(arguments: [
        "", "a\0b@acme.example", String(repeating: "x", count: 100_000), "Ünïcödé+tag@bücher.example", "'; --",
    ])
    func `counts whatever was typed as an account`(account: String) async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(database: application.database)
            try await fail(5, limits, account: account, address: "")
            #expect(try await isLocked(limits, account: account.uppercased(), address: "") != nil)
        }
    }

    private static func aging(_ interval: String) -> String {
        """
        UPDATE swiftlet.login_attempts SET
            failures = ARRAY(SELECT failure - interval '\(interval)' FROM unnest(failures) AS failure),
            locked_until = locked_until - interval '\(interval)',
            last_attempt_at = last_attempt_at - interval '\(interval)',
            updated_at = updated_at - interval '\(interval)'
        """
    }
}
