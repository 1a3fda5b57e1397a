import Testing

@testable import SwiftletAuth

@Suite struct SecretTests {
    @Test func `prints stars however it is printed`() {
        let secret = Secret("hunter2-hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)"] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("***"))
        }
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "abd", false), ("abc", "ab", false), ("", "", true), ("", "a", false),
    ])
    func `compares bytes`(left: String, right: String, isEqual: Bool) {
        #expect((Secret(left) == Secret(right)) == isEqual)
        #expect(Secret(left).isEqual(toText: right) == isEqual)
    }

    @Test func `keeps all bytes`() {
        let bytes = (0...255).map { UInt8($0) }
        let copy = Secret(bytes: bytes).withBytes { span in span.indices.map { span[$0] } }
        #expect(copy == bytes)
        #expect(Secret(bytes: bytes).count == 256)
    }
}
