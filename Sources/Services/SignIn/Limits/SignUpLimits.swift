import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Limits the sign-ups from one IP address.
///
/// Anybody can cause the cost of a sign-up: a row, and a hash or a mail.
struct SignUpLimits: Sendable {
    static let perAddress = 30
    static let perNetwork = 1000
    static let seconds = 300

    private var limit: AddressLimit

    init(_ database: Database) {
        limit = AddressLimit(
            database: AccountDatabase(database),
            kind: "sign-ups",
            perAddress: Self.perAddress,
            perNetwork: Self.perNetwork,
            seconds: Self.seconds
        )
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { limit.count(in: context) }

    /// Call before any other work. Throws ``SignInError`` 429 after ``perAddress`` sign-ups within ``seconds``; refused
    /// ones do not count.
    func admit(address: String) async throws {
        guard let wait = try await limit.take(address: address) else { return }
        throw SignInError.tooManyRequests(retryAfterSeconds: wait)
    }
}
