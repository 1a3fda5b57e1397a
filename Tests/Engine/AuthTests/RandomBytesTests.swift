import Testing

@testable import SwiftletAuth

@Suite struct RandomBytesTests {
    @Test func `gives fresh bytes of the asked length`() throws {
        #expect(try RandomBytes.make(count: 0).isEmpty)
        let first = try RandomBytes.make(count: 48)
        let second = try RandomBytes.make(count: 48)
        #expect(first.count == 48)
        #expect(first != second)
    }

    @Test func `never gives an identifier twice, on many threads`() async {
        var seen: Set<UInt64> = []
        await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<1000).flatMap { _ in [RandomBytes.identifier()].flatMap { [$0.0, $0.1] } } }
            }
            for await words in group { seen.formUnion(words) }
        }
        #expect(seen.count == 8000)
    }
}
