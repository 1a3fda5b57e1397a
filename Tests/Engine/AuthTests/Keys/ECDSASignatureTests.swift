import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct ECDSASignatureTests {
    @Test func `goes from one form to the other and back`() throws {
        for raw in [
            [UInt8](repeating: 0xFF, count: 64), [UInt8](repeating: 1, count: 64),
            [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 31) + [0x80],
            [UInt8](repeating: 0, count: 64), Array(0..<64), [0x80] + [UInt8](repeating: 0, count: 63),
        ] {
            let der = try #require(ECDSASignature.der(rawBytes: raw))
            #expect(der.count <= 72)
            #expect(ECDSASignature.raw(der: der) == raw)
        }
        #expect(ECDSASignature.der(rawBytes: Array(0..<63)) == nil)
        #expect(ECDSASignature.der(rawBytes: Array(0..<65)) == nil)
    }

    @Test func `writes the shortest DER`() {
        let raw = [UInt8](repeating: 0, count: 31) + [0x7F] + [UInt8](repeating: 0, count: 31) + [0x80]
        #expect(ECDSASignature.der(rawBytes: raw) == [0x30, 7, 2, 1, 0x7F, 2, 2, 0, 0x80])
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1],
            [0x30, 6, 3, 1, 1, 2, 1, 1],
            [0x30, 6, 2, 9, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1, 0],
            [0x30, 35, 2, 33] + [UInt8](repeating: 1, count: 33),
        ] as [[UInt8]]
    )
    func `refuses other ASN 1`(der: [UInt8]) {
        #expect(ECDSASignature.raw(der: der) == nil)
    }
}
