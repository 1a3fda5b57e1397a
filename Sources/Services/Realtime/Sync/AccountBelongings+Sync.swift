package import SwiftletWeb

extension AccountBelongings {
    /// How far each of the account's copies has sent its changes.
    package static let syncedCopies = AccountBelongings(in: "swiftlet.sync_clients") { id in
        ["DELETE FROM swiftlet.sync_clients WHERE user_id = \(id)"]
    }
}
