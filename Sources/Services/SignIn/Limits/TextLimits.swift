import SwiftletPostgres
import SwiftletWeb

/// The texts that anybody may cause: one a minute and five an hour to a number; so many an hour from one address, and
/// ten times as many from a private network, or from everywhere together. Each costs the operator money, and some earn
/// by what is sent to numbers of theirs.
struct TextLimits: Sendable {
    static let intervalSeconds = 60
    static let perNumber = 5
    private static let seconds = 3600
    private static let addressesInTotal = 10

    private var now: AddressLimit
    private var perNumber: AddressLimit
    private var perAddress: AddressLimit
    private var total: AddressLimit

    init(_ database: Database, perHour: Int) {
        let database = AccountDatabase(database)
        let all = perHour * Self.addressesInTotal
        func limit(_ kind: String, _ one: Int, _ many: Int, _ seconds: Int) -> AddressLimit {
            AddressLimit(database: database, kind: kind, perAddress: one, perNetwork: many, seconds: seconds)
        }
        now = limit("text now to", 1, 1, Self.intervalSeconds)
        perNumber = limit("texts to", Self.perNumber, Self.perNumber, Self.seconds)
        perAddress = limit("texts", perHour, all, Self.seconds)
        total = limit("all texts", all, all, Self.seconds)
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) {
        now.count(in: context)
        perNumber.count(in: context)
        perAddress.count(in: context)
        total.count(in: context)
    }

    /// Call for known and unknown numbers alike, before it is looked up. Throws ``SignInError`` 429.
    func admit(_ number: PhoneNumber, _ client: ClientInfo) async throws {
        // The address first: who has used up its budget must not use up that of other people's numbers.
        var wait = try await perAddress.take(address: client.address)
        if wait == nil { wait = try await now.take(name: number.rawValue) }
        if wait == nil { wait = try await perNumber.take(name: number.rawValue) }
        if wait == nil { wait = try await total.take(address: "") }
        if let wait { throw SignInError.tooManyTexts(retryAfterSeconds: wait) }
    }
}
