import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct ClaimPathTests {
    @Test(
        arguments: [
            ("a", ["a"]), ("a.b.c", ["a", "b", "c"]), ("https://x.example/a.b", ["https://x.example/a.b"]),
            ("a..b", nil),
            ("", nil), (".", nil), ("a.", nil), ("1.2.3.4.5.6.7.8.9", nil),
        ] as [(String, [String]?)]
    )
    func `reads`(text: String, names: [String]?) {
        #expect(ClaimPath(text)?.names == names)
    }

    @Test func `finds a claim, and nothing where there is none`() {
        let claims: JSONValue = ["a": ["b": 7], "c": [1]]
        #expect(ClaimPath("a.b")?.value(in: claims) == 7)
        for path in ["a.b.c", "x", "c.0", "a.x"] { #expect(ClaimPath(path)?.value(in: claims) == nil) }
    }
}
