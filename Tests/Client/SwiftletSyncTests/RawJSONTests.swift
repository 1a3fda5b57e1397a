import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletSync

struct RawJSONTests {
    @Test func `values keep their text`() throws {
        let row = try #require(
            RawRow(#"{"id": 12345678901234567890.10 ,"a b":"x\"}{,","n":null,"o":{"k":[1,{"z":"]"}]},"e":[ ]}"#)
        )
        #expect(row["id"] == "12345678901234567890.10")
        #expect(row["a b"].flatMap(RawJSON.string) == "x\"}{,")
        #expect(row["o"] == #"{"k":[1,{"z":"]"}]}"#)
        #expect(row["n"] == "null")
        #expect(RawJSON.elements(#"[1, "a,b" ,[2,3],{}]"#) == ["1", "\"a,b\"", "[2,3]", "{}"])
        #expect(RawJSON.elements("[]") == [])
        #expect(RawRow(row.text)?.text == row.text)
    }

    @Test func `what is no JSON is refused`() {
        for text in ["", "{", "[1", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":"b}"#, "{]", "[,]", "nonsense"] {
            #expect(RawRow(text) == nil, "\(text)")
            #expect(RawJSON.elements(text) == nil, "\(text)")
        }
    }

    @Test func `any bytes end in a value or in nothing`() {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array(#"{}[]",:\ 01ae"#.utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(24)).map { _ in random.element(of: alphabet) }
            let text = String(decoding: bytes, as: UTF8.self)
            if let row = RawRow(text) { #expect(RawRow(row.text) != nil, "\(text)") }
            _ = RawJSON.elements(text)
        }
    }

    @Test func `a key is the same in all ways to write it`() {
        let id = UUID()
        #expect(SyncKey(id).text == SyncKey(id.uuidString).text)
        #expect(SyncKey([SyncKey(1), SyncKey("a\"/\u{7}b")]).text == "1,\"a\\\"/\\u0007b\"")
        #expect(SyncKey(raw: [#""a\/b""#]).text == SyncKey("a/b").text)
    }
}
