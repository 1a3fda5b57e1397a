import SwiftletCPango

extension PrintedDocument {
    /// The document as PDF, on A4. Takes some milliseconds a page: not for an event loop.
    public func pdf() throws(PrintingError) -> [UInt8] {
        guard length <= Self.maximumLength else { throw .tooLong }
        // Once to count the pages, so that each can say how many there are.
        let draft = try PageSetter(title: title, sender: sender, pageCount: nil)
        draft.set(blocks)
        guard !draft.isFull else { throw .tooLong }
        let pageCount = draft.pageNumber
        _ = try draft.finish()
        let setter = try PageSetter(title: title, sender: sender, pageCount: pageCount)
        setter.set(blocks)
        return try setter.finish()
    }
}

extension PageSetter {
    func set(_ blocks: [PrintedDocument.Block]) {
        beginPage()
        set(text: title, .title)
        for block in blocks {
            switch block {
            case .heading(let text): set(text: text, .heading)
            case .paragraph(let text): set(text: text, .body)
            case .fields(let fields):
                for field in fields {
                    set(row: [field.name, field.value], Self.fieldColumns, .body)
                }
            case .table(let table): set(table)
            }
            skip(Self.blockGap)
        }
    }

    private static let blockGap = 8.0
    private static let fieldColumns = [PrintedTable.Column("", width: 1), PrintedTable.Column("", width: 3)]

    private func set(_ table: PrintedTable) {
        let head = table.columns.map(\.title)
        let printHead = { [self] in
            set(row: head, table.columns, .strong)
            drawRule()
        }
        printHead()
        repeatedHead = printHead
        for row in table.rows { set(row: row, table.columns, .body) }
        repeatedHead = nil
        guard !table.totals.isEmpty else { return }
        drawRule()
        for row in table.totals { set(row: row, table.columns, .strong) }
    }
}
