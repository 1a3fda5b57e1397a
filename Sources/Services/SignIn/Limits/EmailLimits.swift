import SwiftletPostgres
import SwiftletWeb

/// The emails that anybody may cause within an hour: so many from one address, and ten times as many from a private
/// network, or from everywhere together. What a stranger's mailbox gets, and what providers think of our sender, is no
/// guest's to decide.
struct EmailLimits: Sendable {
    private static let seconds = 3600
    private static let addressesInTotal = 10

    private var perAddress: AddressLimit
    private var total: AddressLimit

    init(_ database: Database, perHour: Int) {
        let database = AccountDatabase(database)
        let all = perHour * Self.addressesInTotal
        perAddress = AddressLimit(
            database: database,
            kind: "letters",
            perAddress: perHour,
            perNetwork: all,
            seconds: Self.seconds
        )
        total = AddressLimit(
            database: database,
            kind: "all letters",
            perAddress: all,
            perNetwork: all,
            seconds: Self.seconds
        )
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) {
        perAddress.count(in: context)
        total.count(in: context)
    }

    /// Call for known and unknown addresses alike, before it is looked up. Throws ``SignInError`` 429.
    func admit(_ client: ClientInfo) async throws {
        var wait = try await perAddress.take(address: client.address)
        if wait == nil { wait = try await total.take(address: "") }
        if let wait { throw SignInError.tooManyMails(retryAfterSeconds: wait) }
    }
}
