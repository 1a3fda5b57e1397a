import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Thousands of guesses from as many addresses, over hours of a moved clock.
@Suite(.needsDatabase, .hangLimit)
struct GuessingTests {
    /// 2000 of each of the five kinds. They take some seconds: each is a statement or two, as in a real attack.
    @Test(arguments: [SignInLimits.Credential.password, .code, .factor, .recoveryCode, .passkey])
    func `of ten thousand guesses five of a kind in each half hour are compared`(
        credential: SignInLimits.Credential
    ) async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(AccountStore(application.database))
            let account = "ada@acme.example"
            var compared = 0
            for halfHour in 0..<10 {
                compared += try await withThrowingTaskGroup(of: Bool.self) { group in
                    for guess in 0..<200 {
                        let address = "203.\(halfHour).\(guess).7"
                        group.addTask {
                            do {
                                try await limits.admit(account: account, by: credential, address: address)
                                try await limits.recordFailure(account: account, by: credential, address: address)
                                return true
                            } catch let error as SignInError where error.status == .tooManyRequests {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                try application.execute(
                    """
                    UPDATE swiftlet.login_attempts SET locked_until = locked_until - interval '31 minutes',
                        failures = ARRAY(SELECT failure - interval '31 minutes' FROM unnest(failures) AS failure)
                    """
                )
            }
            // A code of six digits lives for an hour and so is met by one of 100,000 attackers.
            #expect(compared == 50)
        }
    }

    @Test func `one address tries five accounts, of two thousand`() async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignInLimits(AccountStore(application.database))
            var compared = 0
            for number in 0..<2000 {
                let account = "user-\(number)@acme.example"
                do {
                    try await limits.admit(account: account, address: "203.0.113.7")
                    try await limits.recordFailure(account: account, address: "203.0.113.7")
                    compared += 1
                } catch let error as SignInError where error.status == .tooManyRequests {}
            }
            #expect(compared == SignInLimits.failuresPerAddress)
        }
    }
}
