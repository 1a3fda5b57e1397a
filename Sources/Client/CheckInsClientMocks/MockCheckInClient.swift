public import CheckInsClient
import Foundation
import SwiftletClient

/// Checks in nowhere: gives the results that are set, and remembers what it was asked.
public final class MockCheckInClient: CheckInClient {
    private struct State: Sendable {
        var process = Result<CheckInResult, CheckInError>.success(
            CheckInResult(lastCheckInTime: Date(), nextCheckInTime: Date() + 86_400)
        )
        var status = Result<CheckInStatus, CheckInError>.success(
            CheckInStatus(lastCheckInTime: nil, nextCheckInTime: nil, status: .inactive, interval: 86_400)
        )
        var intervals: [Double] = []
    }

    private let state = Locked(State())

    public init() {}

    public var processCheckInResult: Result<CheckInResult, CheckInError> {
        get { state.withLock(\.process) }
        set { state.withLock { $0.process = newValue } }
    }

    public var getCheckInStatusResult: Result<CheckInStatus, CheckInError> {
        get { state.withLock(\.status) }
        set { state.withLock { $0.status = newValue } }
    }

    /// Of each check-in, in seconds.
    public var intervals: [Double] { state.withLock(\.intervals) }

    @discardableResult
    public func processCheckIn(nextCheckInInterval: Double) async throws -> CheckInResult {
        try state.withLock {
            $0.intervals.append(nextCheckInInterval)
            return try $0.process.get()
        }
    }

    public func getCheckInStatus() async throws -> CheckInStatus {
        try state.withLock { try $0.status.get() }
    }
}
