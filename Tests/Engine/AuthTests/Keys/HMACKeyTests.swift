import Testing

@testable import SwiftletAuth

@Suite struct HMACKeyTests {
    /// RFC 4231 §4.4, §4.7 and §4.8 (keys of 32 bytes and more; the shorter ones are refused here).
    static let vectors: [(key: [UInt8], message: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: vectors)
    func `computes the RFC 4231 codes`(vector: (key: [UInt8], message: [UInt8], code: String)) throws {
        let key = try HMACKey(Secret(bytes: vector.key))
        for _ in 0..<3 {
            #expect(key.hexCode(for: vector.message) == vector.code)
        }
    }

    @Test func `computes codes on many threads at once`() async throws {
        let key = try HMACKey(Secret(String(repeating: "k", count: 64)))
        let message = [UInt8](repeating: 0x61, count: 500)
        let expected = try #require(key.hexCode(for: message))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { _ in key.hexCode(for: message) == expected }
                }
            }
            for await isEqual in group { #expect(isEqual) }
        }
    }

    @Test(arguments: [0, 1, 31])
    func `refuses a short secret`(count: Int) {
        #expect(throws: KeyError.secretTooShort(bytes: count)) {
            try HMACKey(Secret(bytes: [UInt8](repeating: 1, count: count)))
        }
    }

    @Test func `takes secrets of one block and of 32 bytes`() throws {
        // Checked with `openssl dgst -sha256 -mac HMAC`.
        let message = Array("what do ya want for nothing?".utf8)
        let short = try HMACKey(Secret(String(repeating: "k", count: 32))).hexCode(for: message)
        let block = try HMACKey(Secret(String(repeating: "k", count: 64))).hexCode(for: message)
        #expect(short == "4f63351605b85f42e803b30e42c1905fed065a563ff4295a47982e43f228e097")
        #expect(block == "63f12563e45dcef7c354a6ba71d0c713aa28eea869b5a199da814b225867f54c")
    }
}
