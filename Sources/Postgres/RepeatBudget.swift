/// Bounds the reads that are asked a second time because the first seems stuck.
///
/// When the whole machine is slow, everything seems stuck, and asking twice would make it slower: so one in twenty at
/// most, and what is saved up suffices for two full pipelines.
struct RepeatBudget {
    private static let perQuery = 1
    private static let perRepeat = 20
    private static let maximum = 256 * perRepeat

    private var saved = Self.maximum

    mutating func earn() { saved = min(Self.maximum, saved &+ Self.perQuery) }

    /// False when nothing is left.
    mutating func spend() -> Bool {
        guard saved >= Self.perRepeat else { return false }
        saved -= Self.perRepeat
        return true
    }
}
