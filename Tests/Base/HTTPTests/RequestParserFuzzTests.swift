import Foundation
import SwiftletHTTP
import SwiftletTesting
import Testing

/// Damages the fixtures at random and feeds them whole and in portions.
///
/// Runs for five seconds, or for as many as `SWIFTLET_FUZZ_SECONDS` says. `SWIFTLET_FUZZ_SEED` repeats a run.
@Suite struct RequestParserFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["SWIFTLET_FUZZ_SECONDS"].flatMap(Int.init) ?? 5
    private static let seed = environment["SWIFTLET_FUZZ_SEED"].flatMap(UInt64.init) ?? 0x5EED

    @Test(.timeLimit(.minutes(seconds / 60 + 5)))
    func `damaged messages never trap, and parse the same however they are split`() throws {
        let corpus = Fixture.all.map(\.bytes)
        try #require(!corpus.isEmpty)
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var round = Self.seed
        while ContinuousClock.now < end {
            var random = SeededGenerator(seed: round)
            let bytes = Mutation.apply(to: random.element(of: corpus), others: corpus, with: &random)
            let limits = limits(&random)
            let whole = Delivery(bytes, limits: limits)
            let parts = Delivery(bytes, cuts: cuts(of: bytes.count, &random), limits: limits)
            try #require(whole == parts, "seed \(round): \(bytes)")
            for request in whole.requests { try expectSound(request, limits, "seed \(round): \(bytes)") }
            round &+= 1
        }
    }

    /// Usually as in use, sometimes so narrow that they are met.
    private func limits(_ random: inout SeededGenerator) -> RequestLimits {
        guard random.below(4) == 0 else { return RequestLimits() }
        return RequestLimits(
            requestLineBytes: 12 + random.below(60),
            headBytes: 14 + random.below(200),
            fieldCount: random.below(6),
            bodyBytes: random.below(20),
            chunkExtensionBytes: random.below(16),
            trailerBytes: random.below(40)
        )
    }

    /// Byte by byte, or at a few places.
    private func cuts(of count: Int, _ random: inout SeededGenerator) -> [Int] {
        random.below(2) == 0 ? Array(0..<count) : (0...random.below(3)).map { _ in random.below(count + 1) }.sorted()
    }

    private func expectSound(_ request: ReceivedRequest, _ limits: RequestLimits, _ origin: Comment) throws {
        try #require(request.fields.count <= limits.fieldCount, origin)
        try #require(request.body.count <= limits.bodyBytes, origin)
        try #require(!request.method.isEmpty, origin)
        try #require(request.path.hasPrefix("/") || request.path == "*", origin)
        for text in request.fields + [request.method] {
            try #require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, origin)
        }
        try #require(!request.path.utf8.contains(0), origin)
        try #require(request.query.allSatisfy { !$0.utf8.contains(0) }, origin)
        let names = request.fields.map { $0.prefix { $0 != ":" }.lowercased() }
        let hosts = names.count { $0 == "host" }
        try #require(hosts == 1 || (hosts == 0 && request.version == .http10), origin)
        let framing = names.count { $0 == "content-length" || $0 == "transfer-encoding" }
        try #require(framing <= 1, origin)
        try #require(request.body.isEmpty || framing == 1, origin)
    }
}
