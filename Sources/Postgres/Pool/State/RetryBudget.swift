/// Limits the reads that are retried because their first attempt seems stuck.
///
/// When the whole machine is slow, everything seems stuck, and retries would make it slower. So at most one query in
/// twenty is retried, and the saved maximum suffices for two full pipelines.
struct RetryBudget {
    private static let perQuery = 1
    private static let perRetry = 20
    private static let maximum = 256 * perRetry

    private var saved = Self.maximum

    mutating func earn() { saved = min(Self.maximum, saved &+ Self.perQuery) }

    /// Takes one retry from the budget; false when nothing is left.
    mutating func spend() -> Bool {
        guard saved >= Self.perRetry else { return false }
        saved -= Self.perRetry
        return true
    }
}
