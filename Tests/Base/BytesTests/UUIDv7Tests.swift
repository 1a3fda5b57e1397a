import Testing

@testable import SwiftletBytes

@Suite struct UUIDv7Tests {
    @Test func `is the example of RFC 9562`() {
        // Appendix A.6: 1645557742000 ms, rand_a CC3, rand_b 18C4DC0C0C07398F.
        let uuid = UUIDv7(millisecondsSince1970: 1_645_557_742_000, random: (0xCC3, 0x18C4_DC0C_0C07_398F))
        #expect(uuid.text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test(arguments: [Int.min, -1, 0, 1, 1_700_000_000_000, Int.max])
    func `keeps version and variant for any time and randomness`(milliseconds: Int) {
        for random in [(0, 0), (UInt64.max, UInt64.max)] {
            let text = Array(UUIDv7(millisecondsSince1970: milliseconds, random: random).text)
            #expect(text.count == 36)
            #expect(text[14] == "7")
            #expect("89ab".contains(text[19]))
            #expect([8, 13, 18, 23].allSatisfy { text[$0] == "-" })
        }
    }

    @Test func `writes every digit in its place`() {
        for nibble in 0..<16 {
            let word = UInt64(nibble) * 0x1111_1111_1111_1111
            let digit = String(nibble, radix: 16)
            let text = UUIDv7(millisecondsSince1970: Int(word & 0xFFFF_FFFF_FFFF), random: (word, word)).text
            let variant = String(8 + nibble % 4, radix: 16)
            func run(_ count: Int) -> String { String(repeating: digit, count: count) }
            #expect(text == "\(run(8))-\(run(4))-7\(run(3))-\(variant)\(run(3))-\(run(12))")
        }
    }
}
