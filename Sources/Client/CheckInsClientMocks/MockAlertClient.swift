public import CheckInsClient
import Foundation
import SwiftletClient

/// Calls nobody: gives the results that are set.
public final class MockAlertClient: AlertClient {
    private struct State: Sendable {
        var trigger = Result<AlertResult, AlertError>.success(AlertResult(alertId: "alert", activatedAt: Date()))
        var cancel = Result<Void, AlertError>.success(())
        var active = Result<AlertResult?, AlertError>.success(nil)
    }

    private let state = Locked(State())

    public init() {}

    public var triggerAlertResult: Result<AlertResult, AlertError> {
        get { state.withLock(\.trigger) }
        set { state.withLock { $0.trigger = newValue } }
    }

    public var cancelAlertResult: Result<Void, AlertError> {
        get { state.withLock(\.cancel) }
        set { state.withLock { $0.cancel = newValue } }
    }

    public var getActiveAlertResult: Result<AlertResult?, AlertError> {
        get { state.withLock(\.active) }
        set { state.withLock { $0.active = newValue } }
    }

    @discardableResult
    public func triggerAlert() async throws -> AlertResult { try triggerAlertResult.get() }

    public func cancelAlert(alertId: String) async throws { try cancelAlertResult.get() }

    public func getActiveAlert() async throws -> AlertResult? { try getActiveAlertResult.get() }
}
