import Testing

@testable import SwiftletServer

@Suite struct TextTableTests {
    @Test func `aligns its columns`() {
        let table = TextTable(header: ["ID", "NAME"], rows: [["1", "Ärger 👩‍👧"], ["100", "b"]])
        #expect(table.lines == ["ID   NAME", "1    Ärger 👩‍👧", "100  b"])
    }

    @Test func `shows what would steer the terminal`() {
        let table = TextTable(header: ["ERROR"], rows: [["a\u{1B}[2J\u{9B}1m\r\nb\u{202E}c"]])
        #expect(table.lines == ["ERROR", #"a\u{1b}[2J\u{9b}1m\u{d}\u{a}b\u{202e}c"#])
    }
}
