import Foundation
public import CheckInsClient

/// Calls nobody, and behaves like the server otherwise.
public actor MockAlertClient: AlertClient {
    private var current: ActiveAlert?
    private var ended: Set<String> = []
    private var failure: AlertError?

    public init() {}

    /// Lets every call fail from now on; nil lets them succeed again.
    public func fail(with error: AlertError?) { failure = error }

    public func trigger() throws -> ActiveAlert {
        if let failure { throw failure }
        if let current { throw AlertError.alreadyActive(alertID: current.alertId) }
        let alert = ActiveAlert(alertId: UUID().uuidString, activatedAt: Date())
        current = alert
        return alert
    }

    public func cancel(alertID: String) throws {
        if let failure { throw failure }
        guard !ended.contains(alertID) else { throw AlertError.notActive }
        guard current?.alertId == alertID else { throw AlertError.notFound }
        current = nil
        ended.insert(alertID)
    }

    public func active() throws -> ActiveAlert? {
        if let failure { throw failure }
        return current
    }
}
