import SwiftletAuth
import Dispatch
import SwiftletHTTP
import SwiftletBlockingPool
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletSignIn

@Suite(.hangLimit) struct PasswordsTests {
    private static let password = "correct horse battery staple"

    @Test func `accepts the password of a hash and no other`() async throws {
        let passwords = try Passwords(cost: 4, width: 2, depth: 8)
        let hash = try await passwords.hash(Self.password)
        #expect(try await passwords.matches(Self.password, hash: hash))
        #expect(try await !passwords.matches("another", hash: hash))
    }

    @Test(arguments: [nil, "", "$fbscrypt$", "a password that nobody has"])
    func `never accepts where there is no hash, not even the dummy's password`(hash: String?) async throws {
        let passwords = try Passwords(cost: 4, width: 1, depth: 8)
        #expect(try await !passwords.matches("a password that nobody has", hash: hash))
        #expect(try await !passwords.matches("", hash: hash))
    }

    /// Cost 10 takes some 50 ms; without the dummy the answer would come in microseconds.
    @Test func `takes as long for an unknown account as for a known one`() async throws {
        let passwords = try Passwords(cost: 10, width: 1, depth: 8)
        let hash = try await passwords.hash(Self.password)
        let clock = ContinuousClock()
        var known = Duration.seconds(60)
        var unknown = Duration.seconds(60)
        // The quickest of several, and of more on a busy machine: nothing makes a hash quicker than it is.
        for round in 0..<30 where round < 3 || unknown < known * 0.5 || known < unknown * 0.5 {
            known = min(known, try await clock.measure { _ = try await passwords.matches("wrong", hash: hash) })
            unknown = min(unknown, try await clock.measure { _ = try await passwords.matches("wrong", hash: nil) })
        }
        #expect(unknown > known * 0.5)
        #expect(known > unknown * 0.5)
    }

    @Test func `refuses with 503 when too many wait, and serves again afterwards`() async throws {
        let passwords = try Passwords(cost: 8, width: 1, depth: 2)
        let outcomes = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do { return .success(try await passwords.matches("wrong", hash: nil)) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refusals = outcomes.compactMap { outcome -> SignInError? in
            if case .failure(let error as SignInError) = outcome { error } else { nil }
        }
        let answers = outcomes.compactMap { try? $0.get() }
        #expect(answers.count + refusals.count == 12)
        #expect(answers.count >= 3)
        #expect(!refusals.isEmpty)
        #expect(refusals.allSatisfy { $0.status == 503 && !$0.code.endsTheSession && $0.retryAfterSeconds == 2 })
        #expect(try await !passwords.matches("wrong", hash: nil))
    }

    @Test func `keeps half of the places for people who sign in, and takes sign-ups again afterwards`() async throws {
        let passwords = try Passwords(cost: 8, width: 1, depth: 7)
        let hash = try PasswordHash.make(Self.password, cost: 4)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        _ = try await passwords.hash(Self.password)
                        return true
                    } catch let error as SignInError where error.status == .serviceUnavailable {
                        return false
                    }
                }
            }
            // The flood is there when the first of it is refused.
            var made = 0
            while try await group.next() == true { made += 1 }
            #expect(made <= 4)
            for _ in 0..<3 { #expect(try await passwords.matches(Self.password, hash: hash)) }
            _ = try await passwords.hash(Self.password, forAdministrator: true)
            for try await isMade in group where isMade { made += 1 }
            #expect(made >= 4)
        }
        _ = try await passwords.hash(Self.password)
    }

    @Test func `answers whoever waits even when it is let go, and many at once`() async throws {
        var passwords: Passwords? = try Passwords(cost: 4, width: 2, depth: 200)
        let hash = try await passwords?.hash(Self.password) ?? ""
        let answers = await withTaskGroup(of: Bool?.self) { [passwords] group in
            for number in 0..<100 {
                group.addTask {
                    try? await passwords?.matches(number % 2 == 0 ? Self.password : "wrong", hash: hash)
                }
            }
            return await group.reduce(into: [Bool?]()) { $0.append($1) }
        }
        passwords = nil
        #expect(answers.filter { $0 == true }.count == 50)
        #expect(answers.filter { $0 == false }.count == 50)
    }

    @Test func `gives the place of somebody who has gone to the next, and does not compute their hash`() async throws {
        let threads = HashingThreads(width: 1, depth: 1)
        let (isBusy, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasRun = Mutex(false)
        let first = Task {
            try await threads.run(forStranger: true) {
                isBusy.signal()
                _ = gate.wait(timeout: .now() + 10)
                return "first"
            }
        }
        try await BlockingPool("test", width: 1).run { isBusy.wait() }
        let gone = Task { try await threads.run(forStranger: false) { hasRun.withLock { $0 = true } } }
        // Until it waits for the only thread.
        try await Task.sleep(for: .milliseconds(200))
        #expect(try await threads.run(forStranger: false) { "refused" } == nil)
        gone.cancel()
        await #expect(throws: CancellationError.self) { try await gone.value }
        let next = Task { try await threads.run(forStranger: false) { "next" } }
        try await Task.sleep(for: .milliseconds(200))
        // What has begun when somebody leaves is done, and its outcome counts.
        first.cancel()
        gate.signal()
        #expect(try await first.value == "first")
        #expect(try await next.value == "next")
        #expect(hasRun.withLock { $0 } == false)
        #expect(try await threads.run(forStranger: true) { "later" } == "later")
    }

    @Test func `tells why a password cannot be hashed`() async throws {
        let passwords = try Passwords(cost: 4, width: 1, depth: 2)
        await #expect(throws: PasswordError.tooLong(bytes: 73)) {
            _ = try await passwords.hash(String(repeating: "x", count: 73))
        }
    }

    @Test func `does not start with a cost that cannot be computed`() {
        #expect(throws: PasswordError.unsupportedCost(31)) { _ = try Passwords(cost: 31, width: 1, depth: 2) }
    }
}
