import SwiftletJSON
import Testing

@Suite struct JSONWriterTests {
    @Test func `places the commas`() {
        let text = written { json in
            json.array { json in
                json.write(1)
                json.write("a")
                json.write(true)
                json.write(false)
                json.writeNull()
                json.array { _ in }
                json.object { _ in }
                json.object { json in
                    json.member("text", "x")
                    json.member("maybe", "y" as String?)
                    json.member("nothing", nil as String?)
                    json.member("count", 3)
                    json.member("maybe count", nil as Int?)
                    json.member("yes", true)
                    json.member("share", 0.25)
                    json.member("any", [1, [nil]])
                    json.key("long")
                    json.write(Int64.min)
                    json.key("run" + "time")
                    json.write(Double.nan)
                }
                json.write(",")
                json.write("[")
                json.write("{:")
                json.write(-0.5)
            }
        }
        let expected = #"""
            [1,"a",true,false,null,[],{},{"text":"x","maybe":"y","nothing":null,"count":3,"maybe count":null,"yes":true,
            "share":0.25,"any":[1,[null]],"long":-9223372036854775808,"runtime":null},",","[","{:",-0.5]
            """#
        #expect(text == expected.filter { $0 != "\n" })
    }

    @Test(arguments: [
        ("", #""""#), ("a", #""a""#), ("plain text, longer than a word", #""plain text, longer than a word""#),
        ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1}\u{B}\u{1F}", #""\u0000\u0001\u000b\u001f""#), (" !#[]^\u{7F}", "\" !#[]^\u{7F}\""),
        ("1234567\"", #""1234567\"""#), ("12345678\"", #""12345678\"""#), ("\"12345678", #""\"12345678""#),
        ("\\\\\\\\\\\\\\\\\\\\", #""\\\\\\\\\\\\\\\\\\\\""#), ("ü", "\"ü\""), ("aü€😀z", "\"aü€😀z\""),
        ("\u{2028}\u{FEFF}", "\"\u{2028}\u{FEFF}\""), ("1234567ü\n", "\"1234567ü\\n\""),
    ])
    func `escapes what must be and nothing else`(text: String, expected: String) {
        #expect(written { $0.write(text) } == expected)
        let bytes = Array(text.utf8)
        #expect(written { $0.writeString(utf8: bytes.span) } == expected)
        #expect(
            written { json in
                json.object {
                    $0.key(text); $0.write(0)
                }
            } == "{\(expected):0}"
        )
    }

    @Test(arguments: 0...40) func `finds every byte to escape wherever it stands`(length: Int) {
        let clean = [UInt8](repeating: UInt8(ascii: "x"), count: length)
        for position in 0..<length {
            for byte: UInt8 in 0...0x7F {
                var bytes = clean
                bytes[position] = byte
                let mustEscape = byte < 0x20 || byte == 0x22 || byte == 0x5C
                let text = bytesWritten { $0.writeString(utf8: bytes.span) }
                let isVerbatim = text == [0x22] + bytes + [0x22]
                if isVerbatim == mustEscape { Issue.record("byte \(byte) at \(position) of \(length)") }
            }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xFF], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xE0, 0x80, 0x80],
            [0xED, 0xA0, 0x80], [0xED, 0xB0, 0x80, 0xED], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x22],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE, 0xFF],
            [0x61, 0xFF, 0x62, 0xFF, 0x63], [0xE2, 0x82, 0xAC, 0xE2, 0x82, 0xE2, 0x82, 0xAC],
            [0xC3, 0xA9, 0x80, 0x0A, 0x22],
            [0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0xC3],
            [0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0xF0, 0x9F],
        ] as [[UInt8]]
    )
    func `repairs invalid UTF-8 as String does`(bytes: [UInt8]) {
        let repaired = String(decoding: bytes, as: UTF8.self)
        #expect(repaired.unicodeScalars.contains("\u{FFFD}"))
        #expect(bytesWritten { $0.writeString(utf8: bytes.span) } == bytesWritten { $0.write(repaired) })
    }

    @Test func `writes whole numbers of every length`() {
        var values = [0, Int.max, .min, .max - 1, .min + 1]
        var power = 1
        for _ in 0..<18 {
            power *= 10
            for value in [power - 1, power, power + 1, power / 10 * 7, power + 203] { values += [value, -value] }
        }
        for value in values { #expect(written { $0.write(value) } == String(value)) }
    }

    @Test func `grows from nothing`() {
        var writer = JSONWriter(minimumCapacity: 0)
        writer.beginArray()
        for _ in 0..<1_000 { writer.write("\u{1}\u{1}\u{1}\u{1}") }
        writer.endArray()
        #expect(writer.finish().count == 1_000 * 27 + 1)
        #expect(JSONWriter(minimumCapacity: -5).finish() == [])
    }
}
