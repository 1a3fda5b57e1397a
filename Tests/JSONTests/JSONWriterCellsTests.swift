import Testing

@testable import JSON

@Suite struct JSONWriterCellsTests {
    private static let key = Array(#","a_name":"#.utf8)

    private func member(_ cell: [UInt8], as form: CellForm) -> [UInt8] {
        bytesWritten { $0.writeMember(rawKey: Self.key.span, cell.span, as: form) }
    }

    @Test(arguments: [
        ("say \"hi\"", CellForm.text, #""say \"hi\"""#),
        ("2024-01-15T10:30:00.5+01:00", .text, #""2024-01-15T09:30:00Z""#),
        ("", .text, #""""#),
        ("8be37c6a-297e-4000-8000-0123456789ab", .plain, #""8be37c6a-297e-4000-8000-0123456789ab""#),
        ("", .plain, #""""#), ("2024-01-15", .plain, #""2024-01-15""#),
        ("1200.00", .number, "1200.00"), ("-7", .number, "-7"), ("NaN", .number, "null"),
        ("-Infinity", .number, "null"),
        ("t", .bool, "true"), ("f", .bool, "false"),
        ("2024-01-15 10:30:00.999", .timestamp, #""2024-01-15T10:30:00Z""#), ("infinity", .timestamp, #""infinity""#),
        ("{}", .json, "{}"), ("[1, 2]", .json, "[1, 2]"),
        (#"{"at": "2024-01-15T10:30:00"}"#, .json, #"{"at": "2024-01-15T10:30:00Z"}"#),
    ])
    func `writes a cell behind its key`(cell: String, form: CellForm, expected: String) {
        #expect(String(decoding: member(Array(cell.utf8), as: form), as: UTF8.self) == #","a_name":"# + expected)
    }

    @Test func `writes null behind a key`() {
        #expect(written { $0.writeNullMember(rawKey: Self.key.span) } == #","a_name":null"#)
    }

    @Test func `copies keys and cells of every length`() {
        let letters = (0..<70).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        for keyLength in 0..<40 {
            for length in 0..<70 {
                let key = Array(letters[..<keyLength])
                let cell = Array(letters[..<length])
                let bytes = bytesWritten { $0.writeMember(rawKey: key.span, cell.span, as: .plain) }
                #expect(bytes == key + [UInt8(ascii: "\"")] + cell + [UInt8(ascii: "\"")])
            }
        }
    }
}
