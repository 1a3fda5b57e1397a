/// A document of headings, paragraphs and tables, which is set in pages and written as PDF.
///
///     var document = PrintedDocument(title: "Offer 17", sender: "Acme Ltd.")
///     document.add(.heading("Printers"))
///     document.add(.table(PrintedTable(columns: [.init("Item", width: 4), .init("Price", width: 1, isNumber: true)], rows: rows)))
///     let bytes = try await context.offload { try document.pdf() }
///
/// Text is Unicode in any script, shaped and ordered as its script demands, as far as the machine has fonts for it.
public struct PrintedDocument: Sendable {
    public let title: String
    /// Printed at the top of every page: who the document is from.
    public let sender: String
    private(set) var blocks: [Block] = []
    private(set) var length = 0

    /// The largest text of all blocks together, in bytes of UTF-8: a hundred full pages take half a second.
    public static let maximumLength = 250_000
    public static let maximumPages = 500

    public init(title: String, sender: String) {
        self.title = title
        self.sender = sender
    }

    /// What stands below what was added before.
    public enum Block: Sendable {
        case heading(String)
        /// Line breaks are kept.
        case paragraph(String)
        /// Names and values, one below the other.
        case fields([(name: String, value: String)])
        case table(PrintedTable)
    }

    public mutating func add(_ block: Block) {
        blocks.append(block)
        length += block.length
    }
}

/// Rows below a head, which is repeated on every page.
public struct PrintedTable: Sendable {
    public struct Column: Sendable {
        let title: String
        let width: Double
        let isNumber: Bool

        /// `width` is a share of the page, in relation to the other columns. Numbers are aligned to the right.
        public init(_ title: String, width: Double, isNumber: Bool = false) {
            self.title = title
            self.width = width
            self.isNumber = isNumber
        }
    }

    let columns: [Column]
    let rows: [[String]]
    let totals: [[String]]

    /// Cells beyond the columns are left out. `totals` follow the rows, below a line.
    public init(columns: [Column], rows: [[String]], totals: [[String]] = []) {
        self.columns = columns
        self.rows = rows
        self.totals = totals
    }
}

/// Why a document was not made.
public enum PrintingError: Error, Hashable, Sendable {
    /// It has more text than ``PrintedDocument/maximumLength``, or more than ``PrintedDocument/maximumPages``.
    case tooLong
    /// The library says no more, as when memory is short.
    case failed(String)
}

extension PrintedDocument.Block {
    /// In bytes of UTF-8.
    fileprivate var length: Int {
        switch self {
        case .heading(let text), .paragraph(let text): text.utf8.count
        case .fields(let fields): fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        case .table(let table):
            (table.rows + table.totals).reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count } }
        }
    }
}
