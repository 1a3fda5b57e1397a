import JSON
import Testing

@Suite struct JSONParserTests {
    @Test func `what was written reads back`() throws {
        var writer = JSONWriter()
        writer.object { json in
            json.member("id", 7)
            json.member("title", "a \"quoted\"\n\u{1}text with ümlauts that is longer than a word")
            json.member("none", nil as String?)
            json.key("list")
            json.array { json in
                for value in [0, 1, -1, 9, 10, 99_999_999, 100_000_000, .max, .min] { json.write(value) }
            }
        }
        let value = try JSONParser.parse(writer.finish())
        let expected: JSONValue = [
            "id": 7, "title": "a \"quoted\"\n\u{1}text with ümlauts that is longer than a word", "none": nil,
            "list": [0, 1, -1, 9, 10, 99_999_999, 100_000_000, .number(JSONNumber(.max)), .number(JSONNumber(.min))],
        ]
        #expect(value == expected)
    }
}
