import SwiftletJSON
import Testing

@Suite struct JSONParserTests {
    @Test(arguments: ParserCases.accepted) func `accepts what RFC 8259 allows`(text: String, expected: JSONValue) throws
    {
        #expect(try JSONParser.parse(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "0", "-0", "1", "10", "-12", "0.0", "1200.00", "-0.5", "1e3", "1E3", "1e+3", "1E-3", "0e1", "0e+1", "1.5e300",
        "123456789012345678901234567890", "0.00000000000000000000000000001", "1e400", "9223372036854775808",
    ])
    func `keeps the digits of a number`(text: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).number?.text == text)
        #expect(try JSONParser.parse(Array("[\(text) ]".utf8)) == [.number(number(text))])
    }

    @Test(arguments: ParserCases.refused) func `refuses what RFC 8259 forbids and says where`(
        text: String,
        reason: JSONError.Reason,
        offset: Int
    ) {
        #expect(throws: JSONError(reason, at: offset)) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ([0x80], 0), ([0xFF], 0), ([0xC3], 0), ([0xC0, 0xAF], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0xAF], 0),
            ([0xED, 0xA0, 0x80], 0), ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF8, 0x88, 0x80, 0x80, 0x80], 0),
            ([0x61, 0x62, 0xE2, 0x82], 2), ([0xC3, 0xA9, 0xC3], 2), ([0xF0, 0x9F, 0x98, 0x20], 0),
        ] as [([UInt8], Int)]
    )
    func `refuses invalid UTF-8 in texts and keys and says where`(bytes: [UInt8], offset: Int) {
        #expect(throws: JSONError(.invalidUTF8, at: offset + 1)) { try JSONParser.parse([0x22] + bytes + [0x22]) }
        #expect(throws: JSONError(.invalidUTF8, at: offset + 2)) {
            try JSONParser.parse([0x7B, 0x22] + bytes + Array("\\n\":1}".utf8))
        }
    }

    @Test func `refuses a stray byte behind a backslash`() {
        #expect(throws: JSONError(.invalidEscape, at: 2)) { try JSONParser.parse(Array("\"a\\".utf8) + [0xFF, 0x22]) }
    }

    @Test(arguments: [1, 2, 64, 512]) func `nests as deep as it is allowed to and no deeper`(depth: Int) throws {
        let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try JSONParser.parse(Array(arrays.utf8), maximumDepth: depth).array != nil)
        #expect(throws: JSONError(.tooDeep, at: depth - 1)) {
            try JSONParser.parse(Array(arrays.utf8), maximumDepth: depth - 1)
        }
        let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        #expect(try JSONParser.parse(Array(objects.utf8), maximumDepth: depth).object != nil)
        #expect(throws: JSONError(.tooDeep, at: (depth - 1) * 5)) {
            try JSONParser.parse(Array(objects.utf8), maximumDepth: depth - 1)
        }
    }

    @Test func `never nests deeper than the limit for the stack`() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONParser.parse(deep) }
        #expect(throws: JSONError(.tooDeep, at: 512)) { try JSONParser.parse(deep, maximumDepth: .max) }
        #expect(throws: JSONError(.tooDeep, at: 0)) { try JSONParser.parse(deep, maximumDepth: .min) }
    }

    @Test(.timeLimit(.minutes(5))) func `takes linear time for what is made to be slow`() throws {
        let names = (0..<20_000).map { "\"name\($0)\":1" }.joined(separator: ",")
        #expect(try JSONParser.parse(Array("{\(names)}".utf8)).object?.count == 20_000)

        // Equal for `String.==`, after a sort of the marks that takes quadratic time.
        let marks = String(repeating: "\u{0301}\u{0316}", count: 20_000)
        let others = String(repeating: "\u{0316}\u{0301}", count: 20_000)
        #expect(try JSONParser.parse(Array("{\"\(marks)\":1,\"\(others)\":2}".utf8)).object?.count == 2)

        let escapes = String(repeating: "\\u0041", count: 100_000)
        #expect(try JSONParser.parse(Array("\"\(escapes)\"".utf8)).string?.utf8.count == 100_000)

        let digits = String(repeating: "9", count: 100_000)
        let number = try #require(try JSONParser.parse(Array(digits.utf8)).number)
        #expect(number.int == nil)
        #expect(number.double == .infinity)
    }

    @Test func `says what and where`() {
        #expect(JSONError(.trailingBytes, at: 3).description == "characters after the value at byte 3")
    }
}

/// For tables: a number that keeps its text.
func number(_ text: String) -> JSONNumber { JSONNumber(text: text) ?? JSONNumber(-404) }
