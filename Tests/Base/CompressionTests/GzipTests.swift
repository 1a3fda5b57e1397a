import SwiftletCompression
import Testing

@Suite struct GzipTests {
    @Test(arguments: [0, 1, 100, 70_000, 1_000_000])
    func `what is compressed comes back`(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7 * $0) }
        let packed = try #require(Gzip.compress(bytes))
        #expect(packed.prefix(2) == [0x1F, 0x8B])
        #expect(Gzip.decompress(packed, limit: length + 1) == bytes)
    }

    @Test func `a text that repeats itself becomes short`() throws {
        let text = Array(String(repeating: #"{"id":1,"title":"A task"},"#, count: 1000).utf8)
        #expect(try #require(Gzip.compress(text)).count < text.count / 20)
    }

    @Test func `what is cut off, too long or none is refused`() throws {
        let packed = try #require(Gzip.compress(Array(repeating: 7, count: 1000)))
        #expect(Gzip.decompress(Array(packed.dropLast()), limit: 2000) == nil)
        #expect(Gzip.decompress(packed, limit: 999) == nil)
        #expect(Gzip.decompress([1, 2, 3], limit: 100) == nil)
        #expect(Gzip.decompress([], limit: 100) == nil)
    }
}
