import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct TenantIDTests {
    @Test(arguments: ["a", "7", "b7c3f1de-8a54-4bb0-9d64-6d1a2b3c4d5e", "a b", "'; DROP TABLE x --", "Ž"])
    func `takes any printable text`(text: String) {
        #expect(TenantID(rawValue: text)?.rawValue == text)
        #expect(TenantID(rawValue: text)?.description == text)
    }

    @Test(arguments: ["", "\0", "a\0", "a\nb", "\u{1F}", "\u{7F}", String(repeating: "x", count: 256)])
    func `refuses empty, long and control texts`(text: String) {
        #expect(TenantID(rawValue: text) == nil)
    }
}
