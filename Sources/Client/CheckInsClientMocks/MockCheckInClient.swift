public import Foundation
public import CheckInsClient

/// Checks in without a server, by its own clock.
public actor MockCheckInClient: CheckInClient {
    private var last: CheckIn?
    private var failure: CheckInError?
    private let now: @Sendable () -> Date

    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// Lets every call fail from now on; nil lets them succeed again.
    public func fail(with error: CheckInError?) { failure = error }

    public func checkIn(nextCheckInInterval: TimeInterval) throws -> CheckIn {
        if let failure { throw failure }
        guard (60...31_536_000).contains(nextCheckInInterval) else { throw CheckInError.invalidInterval }
        let checkIn = CheckIn(lastCheckInTime: now(), nextCheckInTime: now() + nextCheckInInterval)
        last = checkIn
        return checkIn
    }

    public func status() throws -> CheckInStatus {
        if let failure { throw failure }
        guard let last else {
            return CheckInStatus(lastCheckInTime: nil, nextCheckInTime: nil, status: .inactive, interval: 86_400)
        }
        return CheckInStatus(
            lastCheckInTime: last.lastCheckInTime,
            nextCheckInTime: last.nextCheckInTime,
            status: last.nextCheckInTime < now() ? .overdue : .active,
            interval: last.nextCheckInTime.timeIntervalSince(last.lastCheckInTime)
        )
    }
}
