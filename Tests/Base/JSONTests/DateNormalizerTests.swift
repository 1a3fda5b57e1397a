import SwiftletJSON
import Testing

@Suite struct DateNormalizerTests {
    private func normalize(_ text: String) -> String {
        String(decoding: DateNormalizer.normalize(Array(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: StampCases.changed) func `normalizes a value that is a time`(text: String, expected: String) {
        #expect(normalize("\"\(text)\"") == "\"\(expected)\"")
        #expect(
            normalize("{\"a\":\"\(text)\",\"b\":[\"\(text)\"]}") == "{\"a\":\"\(expected)\",\"b\":[\"\(expected)\"]}"
        )
        #expect(normalize("[\"\(text)\"  ,\n\"\(text)\"\t]") == "[\"\(expected)\"  ,\n\"\(expected)\"\t]")
        #expect(DateNormalizer.stamp(Array(text.utf8).span)?.text == expected)
    }

    @Test(arguments: StampCases.unchanged) func `leaves a value that is no time`(text: String) {
        let json = written { json in
            json.object {
                $0.member("a", text); $0.member("b", [.string(text)])
            }
        }
        #expect(normalize(json) == json)
        #expect(DateNormalizer.stamp(Array(text.utf8).span) == nil)
    }

    @Test(arguments: [
        #"{"2024-01-15T10:30:00":1}"#, #"{"2024-01-15T10:30:00" :1}"#, "{\"2024-01-15T10:30:00\"\r\n\t :1}",
        #"{"a":1,"2024-01-15T10:30:00.5":{"2024-01-15T10:30:00+01:00":[]}}"#,
        #"[20240115103000,-1,2024.01e15]"#,
        #"["2024-01-15T10:30:00\n"]"#, #"["\u0032024-01-15T10:30:00"]"#, #"["2024-01-15T10:30:00\u002e5"]"#,
        #"["2024-01-15T10:30:0\u0030"]"#,
        #"["\"2024-01-15T10:30:00\""]"#, #"["a \"2024-01-15T10:30:00\" b"]"#, #"["\\","x"]"#, #"["\\\""]"#,
        "[]", "{}", "0", "null", " true ", "\"\"",
    ])
    func `leaves keys, numbers and texts with escapes`(json: String) { #expect(normalize(json) == json) }

    @Test(arguments: [
        ("{\"2024-01-15T10:30:00\":\"2024-01-15T10:30:00\"}", "{\"2024-01-15T10:30:00\":\"2024-01-15T10:30:00Z\"}"),
        ("[\"\\\\\",\"2024-01-15T10:30:00\"]", "[\"\\\\\",\"2024-01-15T10:30:00Z\"]"),
        ("[\"\\\"\",\"2024-01-15T10:30:00\",\"ü\"]", "[\"\\\"\",\"2024-01-15T10:30:00Z\",\"ü\"]"),
        (" {\"a\" : \"2024-01-15T10:30:00.5\" } ", " {\"a\" : \"2024-01-15T10:30:00Z\" } "),
        (
            "[null,\"2024-01-15T10:30:00\",[[{\"a\":\"2024-01-15T10:30:00\"}]],1]",
            "[null,\"2024-01-15T10:30:00Z\",[[{\"a\":\"2024-01-15T10:30:00Z\"}]],1]"
        ),
    ])
    func `changes values only`(json: String, expected: String) { #expect(normalize(json) == expected) }

    @Test(arguments: [
        "", " ", "\"2024-01-15T10:30:00", "2024-01-15T10:30:00", "[\"2024-01-15T10:30:00\"",
        "[\"2024-01-15T10:30:00\",]",
        "{\"a\":\"2024-01-15T10:30:00\"", "{\"a\":\"2024-01-15T10:30:00\"]", "{\"a\":\"2024-01-15T10:30:00\",}",
        "{\"2024-01-15T10:30:00\"}", "[\"2024-01-15T10:30:00\":1]", "\"2024-01-15T10:30:00\":1",
        "{:\"2024-01-15T10:30:00\"}",
        "{\"a\" \"2024-01-15T10:30:00\"}", "[\"2024-01-15T10:30:00\" \"a\"]", "\"2024-01-15T10:30:00\" x",
        "\"2024-01-15T10:30:00\"]",
        "He said \"2024-01-15T10:30:00\" today", "<p title=\"2024-01-15T10:30:00\">",
        "data: \"2024-01-15T10:30:00\"\n\n",
        "[\"2024-01-15T10:30:00\",01]", "[\"2024-01-15T10:30:00\",1.]", "[\"2024-01-15T10:30:00\",nul]",
        "[\"2024-01-15T10:30:00\",\"\\x\"]", "[\"2024-01-15T10:30:00\",\"\\u12\"]", "[\"2024-01-15T10:30:00\",\"\n\"]",
        "[\"2024-01-15T10:30:00\",\"\\", "\u{FEFF}\"2024-01-15T10:30:00\"", "[\"2024-01-15T10:30:00\"}",
        "}\"2024-01-15T10:30:00\"",
        "\"2024-01-15T10:30:00\"\"2024-01-15T10:30:00\"", "[,\"2024-01-15T10:30:00\"]",
        "{,\"a\":\"2024-01-15T10:30:00\"}",
        "{1:\"2024-01-15T10:30:00\"}", "['a',\"2024-01-15T10:30:00\"]", "\u{0}", "[\"2024-01-15T10:30:00\"]\u{0}",
    ])
    func `leaves what is not JSON as it is`(text: String) { #expect(normalize(text) == text) }

    @Test func `gives the same array back when nothing changes`() {
        let json = Array(#"[{"a":"2024-01-15T10:30:00Z","b":"a longer text so that there is something to copy"}]"#.utf8)
        let result = DateNormalizer.normalize(json)
        unsafe json.withUnsafeBufferPointer { before in
            unsafe result.withUnsafeBufferPointer { after in
                let isSame = unsafe before.baseAddress == after.baseAddress
                #expect(isSame)
            }
        }
    }

    @Test(arguments: [1, 63, 64, 65, 127, 128, 129, 10_000]) func `follows any depth`(depth: Int) {
        // Objects and arrays take turns of three, so that a level mistaken for its neighbor shows.
        let opened = (0..<depth).map { $0 % 3 == 0 ? "{\"2024-01-15T10:30:00\":" : "[" }.joined()
        let closed = (0..<depth).reversed().map { $0 % 3 == 0 ? "}" : "]" }.joined()
        let middle = "\"2024-01-15T10:30:00"
        #expect(normalize(opened + middle + "\"" + closed) == opened + middle + "Z\"" + closed)
        let unbalanced = opened + middle + "\"" + closed + "]"
        #expect(normalize(unbalanced) == unbalanced)
        let mistaken = opened + middle + "\"" + closed.dropLast() + "]"
        #expect(normalize(mistaken) == mistaken)
    }

    @Test func `leaves invalid UTF-8 as it is`() {
        let stray: [UInt8] = Array("[\"".utf8) + [0xFF, 0xC3] + Array("\",\"2024-01-15T10:30:00".utf8)
        #expect(DateNormalizer.normalize(stray + Array("\"]".utf8)) == stray + Array("Z\"]".utf8))
    }

    @Test(.timeLimit(.minutes(5))) func `takes linear time for what is made to be slow`() {
        let digits = "[\"2024-01-15T10:30:00." + String(repeating: "1", count: 50_000)
        #expect(normalize(digits + "Z\"]") == "[\"2024-01-15T10:30:00Z\"]")
        #expect(normalize(digits) == digits)
        for part in ["[", "\"", "{\"a\":", "\\", "\"a", "[\"2024-01-15T10:30:00\",", "1e"] {
            let text = String(repeating: part, count: 50_000)
            #expect(normalize(text) == text)
        }
    }
}
