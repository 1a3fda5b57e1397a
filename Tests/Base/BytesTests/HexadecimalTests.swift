import SwiftletBytes
import Testing

@Suite struct HexadecimalTests {
    @Test func `every byte has two digits and comes back`() {
        let bytes = (0...255).map { UInt8($0) }
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102"))
        #expect(text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "abc", "0g", "g0", "é0", " 00", "0x"])
    func `other text is nil`(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
