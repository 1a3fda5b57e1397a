import SwiftletBytes
import Testing

@Suite struct UUIDTextTests {
    private static let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    @Test func `is made of two words, and of sixteen bytes`() {
        #expect(UUIDText.text(0x017F_22E2_79B0_7CC3, 0x98C4_DC0C_0C07_398F) == Self.text)
        let bytes = Hexadecimal.decode(Self.text.filter { $0 != "-" }) ?? []
        #expect(UUIDText.text(bytes) == Self.text)
        #expect(UUIDText.text(bytes + [1, 2]) == Self.text)
    }

    @Test func `is valid in either case and in no other form`() {
        #expect(UUIDText.isValid(Self.text))
        #expect(UUIDText.isValid(Self.text.uppercased()))
        for other in [
            "", "{\(Self.text)}", Self.text + " ", String(Self.text.dropLast()), Self.text.filter { $0 != "-" },
        ] {
            #expect(!UUIDText.isValid(other))
        }
        #expect(!UUIDText.isValid(Self.text.replacing("f", with: "g")))
    }
}
