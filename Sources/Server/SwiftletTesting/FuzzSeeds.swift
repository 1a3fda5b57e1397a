import Foundation

/// The seeds of a random test, one for each of its rounds: as many as the test asks for, or as many as there is time for
/// by `SWIFTLET_FUZZ_SECONDS`. `SWIFTLET_FUZZ_SEED` is the first one, and repeats a run.
package struct FuzzSeeds: Sequence, IteratorProtocol {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["SWIFTLET_FUZZ_SECONDS"].flatMap(Double.init)
    private static let first = environment["SWIFTLET_FUZZ_SEED"].flatMap(UInt64.init) ?? 0x5EED

    /// How long tests of this process go on; nil when they do their usual rounds.
    package static var duration: Duration? { seconds.map { .seconds($0) } }

    private let count: UInt64
    private let end: ContinuousClock.Instant?
    private var round: UInt64 = 0

    package init(count: Int) {
        self.count = UInt64(count)
        end = Self.duration.map { .now + $0 }
    }

    package mutating func next() -> UInt64? {
        // The clock is read once in so many rounds, as reading it takes longer than some of them.
        if let end {
            guard !round.isMultiple(of: 64) || ContinuousClock.now < end else { return nil }
        } else {
            guard round < count else { return nil }
        }
        defer { round += 1 }
        return Self.first &+ round
    }
}
