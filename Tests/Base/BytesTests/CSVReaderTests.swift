import SwiftletBytes
import Testing

@Suite struct CSVReaderTests {
    @Test(
        arguments: [
            ("", []),
            ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
            ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
            ("\u{FEFF}a\n\n1\n", [["a"], ["1"]]),
            ("a,,\"\"\n", [["a", nil, ""]]),
            ("\"a,\n\"\"b\"\"\",c\n", [["a,\n\"b\"", "c"]]),
            ("a\rb\n", [["a\rb"]]),
        ] as [(String, [[String?]])]
    )
    func `reads fields of nothing, of text, and of many lines`(text: String, rows: [[String?]]) throws {
        #expect(try CSVReader.read(text.utf8).map(\.fields) == rows)
    }

    @Test func `names the line in which a record begins`() throws {
        #expect(try CSVReader.read("a\n\"1\n2\"\n3\n".utf8).map(\.line) == [1, 2, 4])
        let error = #expect(throws: CSVReader.OpenQuotation.self) { try CSVReader.read("a\n\"1\n2".utf8) }
        #expect(error?.line == 2)
    }
}
