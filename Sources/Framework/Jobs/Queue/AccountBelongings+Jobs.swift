package import SwiftletWeb

extension AccountBelongings {
    /// Jobs that the account has asked for and that wait still or have ended. What runs already comes to its end.
    package static let jobs = AccountBelongings(in: "swiftlet.jobs") { id in
        // The position is cheaper to find out than the claim.
        [
            """
            DELETE FROM swiftlet.jobs
            WHERE worker IS NULL AND position(\(id) IN caller) > 0 AND caller::json ->> 'sub' = \(id)
            """,
            """
            DELETE FROM swiftlet.job_history
            WHERE position(\(id) IN caller) > 0 AND caller::json ->> 'sub' = \(id)
            """,
        ]
    }
}
