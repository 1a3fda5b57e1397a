import Testing

@testable import SwiftletJSON

@Suite struct JSONWriterCellsTests {
    /// One row with a member `a_name` for each cell; NULL for nil. What the writer leaves to its caller is `?`.
    private func row(_ cells: [[UInt8]?], as form: CellForm, name: String = "a_name", words: [String] = []) -> [UInt8] {
        var template = RowTemplate()
        for position in cells.indices { template.append(name, position: position, form, words: words) }
        let copies = unsafe cells.map { cell in
            guard let cell else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
            // With nothing behind it that may be read.
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(cell.count, 1), alignment: 1)
            unsafe copy.copyBytes(from: cell)
            return unsafe UnsafeRawBufferPointer(rebasing: copy[..<cell.count])
        }
        defer { unsafe copies.forEach { unsafe $0.deallocate() } }
        return bytesWritten { json in
            var place = 0
            while true {
                place = unsafe json.writeMembers(template, copies.span, from: place)
                guard place < template.members.count else { break }
                json.writeRaw("?")
                place += 1
            }
            json.writeRaw("}")
        }
    }

    private func value(_ cell: String?, as form: CellForm, words: [String] = []) -> String {
        let bytes = row([cell.map { Array($0.utf8) }], as: form, words: words)
        return String(String(decoding: bytes, as: UTF8.self).dropFirst(#"{"a_name":"#.utf8.count).dropLast())
    }

    @Test(arguments: [
        ("say \"hi\"", CellForm.text, #""say \"hi\"""#),
        ("2024-01-15T10:30:00.5+01:00", .text, #""2024-01-15T09:30:00Z""#),
        ("", .text, #""""#),
        ("8be37c6a-297e-4000-8000-0123456789ab", .plain, #""8be37c6a-297e-4000-8000-0123456789ab""#),
        ("", .plain, #""""#), ("2024-01-15", .plain, #""2024-01-15""#),
        ("1200.00", .number, "1200.00"), ("-7", .number, "-7"), ("1e+20", .number, "1e+20"), ("NaN", .number, "null"),
        ("-Infinity", .number, "null"),
        ("t", .bool, "true"), ("f", .bool, "false"),
        ("2024-01-15 10:30:00.999", .timestamp, #""2024-01-15T10:30:00Z""#), ("infinity", .timestamp, "null"),
        ("2024-01-15", .date, #""2024-01-15""#), ("-infinity", .date, "null"), ("0044-03-15 BC", .date, "null"),
        ("12024-01-15", .date, "null"), (#""2024-01-15T10:30:00.5""#, .json, #""2024-01-15T10:30:00Z""#),
        ("12345678901", .json, "12345678901"), (#""to infinity""#, .json, #""to infinity""#),
        (#""infinity""#, .json, #""infinity""#), (#"{"note": "-infinity"}"#, .json, #"{"note": "-infinity"}"#),
        (#""0044-03-15T00:00:00+00:00 BC""#, .json, #""0044-03-15T00:00:00+00:00 BC""#),
        ("{}", .json, "{}"), ("[1, 2]", .json, "[1, 2]"),
        (#"{"at": "2024-01-15T10:30:00"}"#, .json, #"{"at": "2024-01-15T10:30:00Z"}"#), ("whatever", .other, "?"),
    ])
    func `writes a cell behind its key`(cell: String, form: CellForm, expected: String) {
        #expect(value(cell, as: form) == expected)
    }

    @Test func `knows the words of a vocabulary, and leaves others to the caller`() {
        let words = ["todo", "in_progress", "", "done"]
        #expect(words.map { value($0, as: .word, words: words) } == words.map { "\"\($0)\"" })
        for other in ["to", "todos", "TODO", "in_progresS"] { #expect(value(other, as: .word, words: words) == "?") }
        #expect(value(nil, as: .word, words: words) == "?")
    }

    /// A database of encoding SQL_ASCII holds any bytes.
    @Test(arguments: [CellForm.text, .json])
    func `replaces what is not UTF-8`(form: CellForm) {
        let cell = form == .json ? [0x22, 0xFF, 0x22] : [0xFF] as [UInt8]
        #expect(String(decoding: row([cell], as: form), as: UTF8.self) == "{\"a_name\":\"\u{FFFD}\"}")
        #expect(String(validating: row([cell], as: form), as: UTF8.self) != nil)
    }

    @Test func `writes null behind a key`() {
        for form in [CellForm.text, .plain, .number, .bool, .timestamp, .json, .other] {
            #expect(value(nil, as: form) == "null")
        }
    }

    @Test func `copies keys and cells of every length`() {
        let letters = (0..<70).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        for keyLength in 0..<40 {
            let key = String(decoding: letters[..<keyLength], as: UTF8.self)
            for form in [CellForm.plain, .text] {
                let cells = (0..<70).map { Array(letters[..<$0]) }
                let members = cells.map { "\"\(key)\":\"\(String(decoding: $0, as: UTF8.self))\"" }
                let expected = "{" + members.joined(separator: ",") + "}"
                #expect(String(decoding: row(cells, as: form, name: key), as: UTF8.self) == expected)
            }
        }
    }
}
