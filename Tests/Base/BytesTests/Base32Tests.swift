import SwiftletBytes
import Testing

@Suite struct Base32Tests {
    /// RFC 4648 §10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ])
    func `encodes and decodes the examples of the RFC`(text: String, encoded: String) {
        #expect(Base32.encode(Array(text.utf8)) == encoded)
        #expect(Base32.decode(encoded) == Array(text.utf8))
        #expect(Base32.decode(encoded.lowercased() + "====") == Array(text.utf8))
    }

    @Test(arguments: ["MZXW6Y!", "MZ XW", "0189", "MÄ"])
    func `refuses other characters`(text: String) {
        #expect(Base32.decode(text) == nil)
    }
}
