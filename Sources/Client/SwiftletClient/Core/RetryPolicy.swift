public import Foundation

/// When and how a request is sent again that found no server, or one that cannot answer at the moment.
///
/// This concerns reads, and writes that are safe to repeat; see ``APIEndpoint/Repetition``. Unless it is changed, a
/// server that is restarted and back within three seconds is only slow.
public struct RetryPolicy: Sendable {
    /// How often a request is sent at most: once, and three times again.
    public var attempts = 4
    /// The longest pause before the second attempt, in seconds; it doubles from then on.
    public var pause: TimeInterval = 1
    /// The longest pause, also when the server asks for a longer one.
    public var longestPause: TimeInterval = 30
    /// Waits; replaced in tests.
    public var sleep: @Sendable (TimeInterval) async throws -> Void = {
        try await Task.sleep(nanoseconds: UInt64($0 * 1_000_000_000))
    }

    public init() {}

    private static let passingStatuses: Set<Int> = [502, 503, 504]

    /// Those that say nothing of whether the request has arrived.
    private static let lostConnections: Set<URLError.Code> = [
        .networkConnectionLost, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .timedOut,
        .notConnectedToInternet, .secureConnectionFailed, .badServerResponse, .resourceUnavailable, .unknown,
    ]

    /// The seconds to wait after the attempt `attempt`, counted from 1; nil if the answer is final.
    ///
    /// Half of the pause is left to chance, so that clients that lost a server together do not return together.
    func pause(afterStatus status: Int, retryAfter: TimeInterval?, attempt: Int) -> TimeInterval? {
        guard Self.passingStatuses.contains(status), attempt < attempts else { return nil }
        return min(max(retryAfter ?? 0, backOff(attempt)), longestPause)
    }

    func pause(after error: URLError, attempt: Int) -> TimeInterval? {
        guard Self.lostConnections.contains(error.code), attempt < attempts else { return nil }
        return backOff(attempt)
    }

    private func backOff(_ attempt: Int) -> TimeInterval {
        let full = min(pause * pow(2, Double(attempt - 1)), longestPause)
        return Double.random(in: full / 2...full)
    }
}
