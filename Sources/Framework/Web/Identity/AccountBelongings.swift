package import SwiftletPostgres

/// What a service holds of an account beside the account's own tables. It goes with the account.
package struct AccountBelongings: Sendable {
    /// Where it is, as `schema.table`. Without that table nothing is held.
    package let table: String
    /// Whether others may need it: then it goes only if the account's owner deletes the account.
    package let isShared: Bool
    /// Deletes what belongs to the account with this id, in the transaction that deletes the account.
    package let deletions: @Sendable (_ accountID: String) -> [SQL]

    package init(
        in table: String,
        isShared: Bool = false,
        _ deletions: @escaping @Sendable (_ accountID: String) -> [SQL]
    ) {
        self.table = table
        self.isShared = isShared
        self.deletions = deletions
    }
}

extension AccountBelongings {
    /// Answers that were kept to be given again, see ``IdempotentRequest``.
    package static let keptAnswers = AccountBelongings(in: "swiftlet.idempotency_keys") { id in
        ["DELETE FROM swiftlet.idempotency_keys WHERE split_part(scope, E'\\n', 2) = \(id)"]
    }
}
