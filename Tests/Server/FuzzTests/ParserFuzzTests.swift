import SwiftletTesting
import Testing

/// Feeds every parser of what peers send with damaged examples: it reads them or refuses them, and never traps.
///
/// `SWIFTLET_FUZZ_SECONDS` gives each parser that much time, `SWIFTLET_FUZZ_SEED` repeats a run.
@Suite struct ParserFuzzTests {
    private static let rounds = 1000
    private static let timeLimit = TimeLimitTrait.Duration.minutes(
        5 + Int((FuzzSeeds.duration ?? .zero) / .seconds(60))
    )

    @Test(.timeLimit(timeLimit), arguments: FuzzedParser.all)
    func `reads or refuses what is damaged`(parser: FuzzedParser) throws {
        var accepted = 0
        for example in parser.examples where (try? parser.read(example)) != nil { accepted += 1 }
        // Else the parser would see nothing but what it refuses at once.
        try #require(accepted > 0, "no example is read")
        for seed in FuzzSeeds(count: Self.rounds) {
            var random = SeededGenerator(seed: seed)
            let bytes = Mutation.apply(
                to: random.element(of: parser.examples),
                others: parser.examples,
                with: &random
            )
            do {
                try parser.read(bytes)
            } catch let fault as FuzzFault {
                Issue.record("seed \(seed), \(fault.reason): \(String(decoding: bytes, as: UTF8.self))")
                return
            } catch {
                // Refused.
            }
        }
    }
}
