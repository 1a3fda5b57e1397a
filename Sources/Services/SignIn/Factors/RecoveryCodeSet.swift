import SwiftletJSON
import SwiftletPostgres

/// The recovery codes of an account.
struct RecoveryCodeSet {
    let id: String
    /// The row of `auth.mfa_factors` that stands for them.
    let factor: Factor
    let total: Int
    let remaining: Int

    init?(_ row: Row) throws {
        guard let text = row["factor"], let factor = Factor(try JSONParser.parse(Array(text.utf8))) else { return nil }
        self.factor = factor
        id = try row.decode(String.self, "id")
        total = try row.decode(Int.self, "total")
        remaining = try row.decode(Int.self, "remaining")
    }
}
