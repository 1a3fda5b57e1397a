import SwiftletJSON
import Testing

@Suite struct JSONWriterColumnsTests {
    @Test func `builds a row from raw pieces and values`() {
        let id = Array("42".utf8)
        let text = Array("a \"b\"".utf8)
        let row = written { json in
            json.writeRaw("{\"id\":")
            json.writeRaw(id.span)
            json.writeRaw(",\"title\":")
            json.writeString(utf8: text.span)
            json.writeRaw(",\"done\":null")
            json.key("more")
            json.write(1)
            json.writeRaw("}")
        }
        #expect(row == #"{"id":42,"title":"a \"b\"","done":null,"more":1}"#)
    }

    @Test(arguments: [
        ("2024-01-15 10:30:00", "2024-01-15T10:30:00Z"), ("2024-01-15 10:30:00.123456", "2024-01-15T10:30:00Z"),
        ("2024-01-15 10:30:00.999999+00", "2024-01-15T10:30:00Z"), ("2024-01-15 10:30:00+00", "2024-01-15T10:30:00Z"),
        ("2024-01-15 10:30:00-00:00", "2024-01-15T10:30:00Z"), ("2024-01-15 01:30:00+02", "2024-01-14T23:30:00Z"),
        ("2024-12-31 23:30:00.5-05:30", "2025-01-01T05:00:00Z"), ("0001-01-01 00:00:00", "0001-01-01T00:00:00Z"),
        ("2024-01-15T10:30:00.5+01:00", "2024-01-15T09:30:00Z"), ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00Z"),
        ("9999-12-31 23:59:59-01", "9999-12-31 23:59:59-01"),
        ("2024-01-15", "2024-01-15"), ("2024-01-15 10:30:00Z", "2024-01-15 10:30:00Z"), ("", ""),
        ("15/01/2024 10:30:00 UTC", "15/01/2024 10:30:00 UTC"),
        ("1883-11-18 12:03:58-07:52:58", "1883-11-18 12:03:58-07:52:58"),
    ])
    func `writes a timestamp column`(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(written { $0.writeTimestamp(postgresText: bytes.span) } == "\"\(expected)\"")
    }

    @Test(arguments: [
        "infinity", "-infinity", "0044-03-15 12:00:00 BC", "12024-01-15 10:30:00", "294276-12-31 23:59:59.999999",
        "0001-12-31 23:59:59.5+00 BC", "0044-03-15 BC", "10000-01-01",
    ])
    func `writes null for a time that apps cannot decode, and names its member`(text: String) {
        var json = JSONWriter()
        for _ in 0..<2 {
            json.writeTimestamp(postgresText: text.utf8.span)
            json.nameUndecodableValue("due")
            json.writeDate(postgresText: text.utf8.span)
            json.nameUndecodableValue("day")
            json.writeDate(postgresText: "2024-01-15".utf8.span)
            json.nameUndecodableValue("other")
        }
        #expect(json.undecodableMembers == ["due", "day"])
        let text = String(decoding: json.finish(), as: UTF8.self)
        #expect(text == #"null,null,"2024-01-15",null,null,"2024-01-15""#)
    }

    @Test(arguments: StampCases.changed) func `normalizes a text that is a time`(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(written { $0.writeText(utf8: bytes.span) } == "\"\(expected)\"")
    }

    @Test(arguments: StampCases.unchanged) func `leaves a text that is no time`(text: String) {
        let bytes = Array(text.utf8)
        #expect(written { $0.writeText(utf8: bytes.span) } == written { $0.write(text) })
    }

    @Test(arguments: [
        ("0", "0"), ("1200.00", "1200.00"), ("-0.5", "-0.5"), ("1e+20", "1e+20"), ("1.5e-07", "1.5e-07"),
        ("123456789012345678901234567890.123", "123456789012345678901234567890.123"), ("NaN", "null"),
        ("Infinity", "null"),
        ("-Infinity", "null"), ("", "null"), ("12x", "null"),
    ])
    func `writes a number column`(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(written { $0.writeNumber(postgresText: bytes.span) } == expected)
    }

    @Test(arguments: [
        (#"{"at": "2024-01-15T10:30:00.5", "n": 1.50}"#, #"{"at": "2024-01-15T10:30:00Z", "n": 1.50}"#),
        (#"["ü", null]"#, #"["ü", null]"#), ("7", "7"), (" {\n} ", " {\n} "),
        // Not JSON: as it is, and nothing of it twice.
        (#"["2024-01-15T10:30:00" x"#, #"["2024-01-15T10:30:00" x"#),
        (#""2024-01-15T10:30:00"""#, #""2024-01-15T10:30:00"""#),
    ])
    func `writes a json column`(json: String, expected: String) {
        #expect(surrounded(Array(json.utf8)) == "[1,\(expected),2]")
    }

    @Test func `repairs a json column from a database that does not check its encoding`() {
        let stray = Array("[\"12345678".utf8) + [0xE2, 0x82, 0xFF] + Array("\",\"2024-01-15T10:30:00\"]".utf8)
        #expect(surrounded(stray) == "[1,[\"12345678\u{FFFD}\u{FFFD}\",\"2024-01-15T10:30:00Z\"],2]")
    }

    private func surrounded(_ json: [UInt8]) -> String {
        written { writer in
            writer.array { writer in
                writer.write(1)
                writer.writeJSON(utf8: json.span)
                writer.write(2)
            }
        }
    }

    @Test func `separates every kind of value`() throws {
        let stamp = try #require(Stamp(secondsSince1970: 0))
        let (text, time, digits, json) = (
            Array("a".utf8), Array("2024-01-15 10:30:00".utf8), Array("1.0".utf8), Array("{}".utf8)
        )
        let row = written { writer in
            writer.array { writer in
                for _ in 0..<2 {
                    writer.writeString(utf8: text.span)
                    writer.writeText(utf8: text.span)
                    writer.write(stamp)
                    writer.writeTimestamp(postgresText: time.span)
                    writer.writeNumber(postgresText: digits.span)
                    writer.writeJSON(utf8: json.span)
                }
            }
        }
        let once = #""a","a","1970-01-01T00:00:00Z","2024-01-15T10:30:00Z",1.0,{}"#
        #expect(row == "[\(once),\(once)]")
    }
}
