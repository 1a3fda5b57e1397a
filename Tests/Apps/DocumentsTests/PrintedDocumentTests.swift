import SwiftletDocuments
import Foundation
import Testing

@Suite struct PrintedDocumentTests {
    /// The text of each page, as a reader would copy it.
    private static func pages(_ pdf: [UInt8]) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pdf")
        try Data(pdf).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = Process()
        reader.executableURL = URL(filePath: "/usr/bin/pdftotext")
        reader.arguments = ["-layout", file.path, "-"]
        let output = Pipe()
        reader.standardOutput = output
        try reader.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        reader.waitUntilExit()
        #expect(reader.terminationStatus == 0)
        return text.split(separator: "\u{C}").map(String.init)
    }

    private static func table(_ rows: [[String]], totals: [[String]] = []) -> PrintedDocument.Block {
        .table(
            PrintedTable(
                columns: [.init("Item", width: 3), .init("Price", width: 1, isNumber: true)],
                rows: rows,
                totals: totals
            )
        )
    }

    @Test func `has its title, sender, fields, rows and the number of each page`() throws {
        var document = PrintedDocument(title: "Offer 17", sender: "Acme Ltd.")
        document.add(.fields([("To", "Müller & Söhne"), ("Valid until", "2026-12-31")]))
        document.add(Self.table((1...300).map { ["Line \($0)", "\($0).00"] }, totals: [["Total", "45150.00"]]))
        document.add(.heading("Terms"))
        document.add(.paragraph("First.\nSecond."))
        let pages = try Self.pages(document.pdf())
        #expect(pages.count > 5 && pages[0].contains("Offer 17") && pages[0].contains("Müller & Söhne"))
        for (index, page) in pages.enumerated() {
            #expect(page.contains("Acme Ltd."))
            #expect(page.contains("Page \(index + 1) of \(pages.count)"))
        }
        // The head of the table stands above its rows on every page that has some.
        #expect(pages.filter { $0.contains("Line ") }.allSatisfy { $0.contains("Item") && $0.contains("Price") })
        let text = pages.joined()
        #expect((1...300).allSatisfy { text.contains("Line \($0) ") || text.contains("Line \($0)\n") })
        #expect(text.contains("45150.00"))
        #expect(text.contains("First."))
        #expect(text.contains("Second."))
    }

    @Test(arguments: ["Ωmega Ελλάδα", "Žluťoučký kůň", "Привет, мир", "naïve café — “quoted” €", "İstanbul ß ẞ"])
    func `keeps the letters of many scripts`(text: String) throws {
        var document = PrintedDocument(title: text, sender: "S")
        document.add(.paragraph(text))
        #expect(try Self.pages(document.pdf()).joined().contains(text))
    }

    @Test(arguments: [
        "", "\0", "a\0b", "\u{1}\u{7F}\u{FFFE}", "👩‍👩‍👧‍👦🏳️‍🌈", "مرحبا بالعالم", "漢字かな", "\u{202E}abc",
        String(repeating: "x", count: 20_000), String(repeating: "\n", count: 3_000),
        String(repeating: "é\u{301}", count: 5_000), String(repeating: "word ", count: 10_000), "\r\n\t\u{2028}",
    ])
    func `sets any text wherever it stands`(text: String) throws {
        var document = PrintedDocument(title: String(text.prefix(300)), sender: String(text.prefix(300)))
        document.add(.heading(String(text.prefix(300))))
        document.add(.paragraph(text))
        document.add(.fields([(String(text.prefix(300)), text)]))
        document.add(Self.table([[text, "1"], [text]], totals: [["a", "b", "c"]]))
        let pdf = try document.pdf()
        let pages = try Self.pages(pdf)
        #expect(pdf.starts(with: Array("%PDF-".utf8)))
        #expect(!pages.isEmpty)
    }

    @Test func `refuses what would take too long`() {
        var document = PrintedDocument(title: "t", sender: "s")
        for _ in 0..<3 { document.add(.paragraph(String(repeating: "long ", count: 20_000))) }
        #expect(throws: PrintingError.tooLong) { try document.pdf() }
    }

    /// Of so many lines, the last ones would be placed beyond 32 bits.
    @Test(arguments: ["\n", "\u{2029}", "\r\n"])
    func `refuses a page for every few letters`(line: String) {
        var paragraph = PrintedDocument(title: "t", sender: "s")
        paragraph.add(.paragraph(String(repeating: line, count: 240_000 / line.utf8.count)))
        #expect(throws: PrintingError.tooLong) { try paragraph.pdf() }
        var rows = PrintedDocument(title: "t", sender: "s")
        rows.add(Self.table(Array(repeating: [String(repeating: line, count: 480 / line.utf8.count)], count: 500)))
        #expect(throws: PrintingError.tooLong) { try rows.pdf() }
    }

    @Test func `a long text is set whole, wherever it is cut`() throws {
        var document = PrintedDocument(title: "t", sender: "s")
        document.add(.paragraph((1...9_000).map { "w\($0)" }.joined(separator: " ")))
        let words = Set(try Self.pages(document.pdf()).joined().split(whereSeparator: \.isWhitespace).map(String.init))
        #expect((1...9_000).allSatisfy { words.contains("w\($0)") })
    }
}
