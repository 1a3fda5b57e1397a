import SwiftletTesting
import Testing

@testable import SwiftletBytes

@Suite struct Base64URLTests {
    /// RFC 4648 §10 without padding, and the two characters that differ from plain Base64.
    static let pairs: [(String, [UInt8])] = [
        ("", []),
        ("Zg", Array("f".utf8)),
        ("Zm8", Array("fo".utf8)),
        ("Zm9v", Array("foo".utf8)),
        ("Zm9vYg", Array("foob".utf8)),
        ("Zm9vYmE", Array("fooba".utf8)),
        ("Zm9vYmFy", Array("foobar".utf8)),
        ("-_-_", [0xFB, 0xFF, 0xBF]),
        ("AAAAAA", [0, 0, 0, 0]),
        ("A-z_4ZLB", [3, 236, 255, 225, 146, 193]),
    ]

    @Test(arguments: pairs)
    func `decodes and encodes the same text`(text: String, bytes: [UInt8]) {
        #expect(Base64URL.decode(text) == bytes)
        #expect(Base64URL.encode(bytes: bytes) == text)
    }

    @Test(arguments: [
        "A", "AAAAA",  // a rest of one character
        "Zg==", "Zm8=", "=", "====",  // padding
        "Zm9v\n", " Zm9v", "Zm 9v", "Zm9vYg\r\n", "\tZg",  // white space
        "+/+/", "Zm9/",  // plain Base64
        "Zh", "Zn", "Z_", "Zm9", "Zm-", "Zm9vYh", "Zm9vYmF",  // trailing bits that are not zero
        "Zm9.", "é", "Zg\0\0", "Zm9\u{7F}", "Zm9v*",  // foreign characters
    ])
    func `refuses what is not canonical`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `accepts exactly one text for every two bytes`() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var accepted = 0
        for first in alphabet {
            for second in alphabet where Base64URL.decode(bytes: [first, second]) != nil { accepted += 1 }
        }
        #expect(accepted == 256)
    }

    @Test func `round trips every length and refuses every foreign byte`() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<130 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let text = Array(Base64URL.encode(bytes: bytes).utf8)
            #expect(Base64URL.decode(bytes: text) == bytes)
            for position in text.indices {
                var damaged = text
                damaged[position] = [0x00, 0x20, 0x2B, 0x2F, 0x3D, 0x80, 0xFF].randomElement(using: &generator) ?? 0
                #expect(Base64URL.decode(bytes: damaged) == nil, "\(position) of \(count)")
            }
        }
    }

    @Test func `fills a buffer of the right size only`() {
        var four = InlineArray<4, UInt8>(repeating: 0)
        var span = four.mutableSpan
        let text = Array("Zm9v".utf8)
        let isFilledByThree = Base64URL.decode(text.span, into: &span)
        let longer = Array("Zm9vYg".utf8)
        let isFilledByFour = Base64URL.decode(longer.span, into: &span)
        #expect(!isFilledByThree)
        #expect(isFilledByFour)
        #expect(four[3] == UInt8(ascii: "b"))
    }
}
