package import SwiftletWeb

extension AccountBelongings {
    /// Objects that the account has uploaded, and uploads that it has begun. The purge removes the files.
    package static let files = AccountBelongings(in: "storage.swiftlet_uploads", isShared: true) { id in
        [
            FilesCall.allowingDeletions,
            "DELETE FROM storage.objects WHERE owner_id = \(id)",
            "UPDATE storage.swiftlet_uploads SET state = 'ended' WHERE owner_id = \(id) AND state = 'open'",
        ]
    }
}
