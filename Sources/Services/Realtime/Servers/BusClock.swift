/// The database's time, by which servers sign what they tell each other: their own clocks may be off.
struct BusClock: Sendable {
    /// So often it is read anew: two machines drift apart by some milliseconds meanwhile.
    static let pause = Duration.seconds(60)

    /// Microseconds since 1970.
    let microseconds: Int
    let readAt: ContinuousClock.Instant

    func now(at instant: ContinuousClock.Instant = .now) -> Int {
        let passed = (instant - readAt).components
        return microseconds + Int(passed.seconds) * 1_000_000 + Int(passed.attoseconds / 1_000_000_000_000)
    }

    func isDue(at instant: ContinuousClock.Instant = .now) -> Bool { instant - readAt >= Self.pause }
}
