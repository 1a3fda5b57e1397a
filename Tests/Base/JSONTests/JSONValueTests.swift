import SwiftletJSON
import Testing

@Suite struct JSONValueTests {
    private let value: JSONValue = [
        "text": "x", "whole": 3, "half": 0.5, "yes": true, "none": nil, "list": [1, "two"], "object": ["inner": []],
    ]

    @Test func `answers what it is asked for, or nil`() {
        #expect(value["text"]?.string == "x")
        #expect(value["whole"]?.int == 3)
        #expect(value["whole"]?.double == 3)
        #expect(value["half"]?.double == 0.5)
        #expect(value["half"]?.int == nil)
        #expect(value["yes"]?.bool == true)
        #expect(value["none"]?.isNull == true)
        #expect(value["list"]?[1] == "two")
        #expect(value["object"]?["inner"]?.array == [])
        #expect(value["absent"] == nil)
        #expect(value["text"]?.int == nil)
        #expect(value["whole"]?.string == nil)
        #expect(value["text"]?["inner"] == nil)
        #expect(value["object"]?[0] == nil)
        #expect(value.isNull == false)
    }

    @Test(arguments: [-1, 2, Int.max, .min]) func `is nil beyond the ends of an array`(position: Int) {
        #expect(value["list"]?[position] == nil)
    }

    @Test func `compares texts by their bytes`() {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSONValue.string("12345678a") != .string("12345678b"))
        #expect(JSONValue.string("same text") == "same text")
        #expect(Set<JSONValue>(["a", "a", 1, 1, 1.5, true, nil, [], [:]]).count == 7)
    }

    @Test(
        arguments: [
            ("1200.00", 0), ("1e9", 9), ("1E+9", 9), ("[1e9,1e-3,true,null,\"1e9\"]", 12), (#"{"e":{"e":[2.5e2]}}"#, 2),
            ("1e99999999999999999999999", 1_000_000), ("1e-9223372036854775808", 1_000_000), ("0e0", 0),
        ]
    )
    func `counts the digits that exponents stand for`(text: String, count: Int) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).exponentDigits == count)
    }

    @Test func `describes itself as JSON`() {
        let expected =
            #"{"text":"x","whole":3,"half":0.5,"yes":true,"none":null,"list":[1,"two"],"object":{"inner":[]}}"#
        #expect(value.description == expected)
    }
}
