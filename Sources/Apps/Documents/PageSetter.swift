import SwiftletCPango

/// Sets text on pages, from top to bottom, with the sender above and the number below.
@safe
final class PageSetter {
    private let sink: PDFSink
    private let surface: OpaquePointer
    private let canvas: OpaquePointer
    let title: String
    private let sender: String
    /// Nil while the pages are counted: then nothing is drawn.
    private let pageCount: Int?
    private(set) var pageNumber = 0
    /// Whether there are too many pages: then nothing more is set.
    var isFull: Bool { pageNumber > PrintedDocument.maximumPages }
    private var y = PageSetter.margin
    /// What a new page begins with.
    var repeatedHead: (() -> Void)?

    // Points (1/72 inch): A4, ISO 216.
    private static let width = 595.28
    private static let height = 841.89
    private static let margin = 56.0
    private static let columnGap = 8.0
    private static let textWidth = width - 2 * margin
    private static let bottom = height - margin

    enum Style: String {
        case title = "Sans Bold 18"
        case heading = "Sans Bold 13"
        case body = "Sans 10"
        case strong = "Sans Bold 10"
        case small = "Sans 8"
    }

    init(title: String, sender: String, pageCount: Int?) throws(PrintingError) {
        self.title = title
        self.sender = sender
        self.pageCount = pageCount
        sink = PDFSink()
        guard let surface = unsafe sink.makeSurface(width: Self.width, height: Self.height) else {
            throw .failed("no surface")
        }
        guard let canvas = unsafe cairo_create(surface) else {
            unsafe cairo_surface_destroy(surface)
            throw .failed("no canvas")
        }
        unsafe self.surface = surface
        unsafe self.canvas = canvas
        unsafe cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title.withoutControls)
        unsafe cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_AUTHOR, sender.withoutControls)
    }

    deinit {
        unsafe cairo_destroy(canvas)
        unsafe cairo_surface_destroy(surface)
    }

    /// The finished file. The setter cannot be used any more.
    func finish() throws(PrintingError) -> [UInt8] {
        unsafe cairo_surface_finish(surface)
        let status = unsafe cairo_status(canvas)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .failed(unsafe String(cString: cairo_status_to_string(status)))
        }
        return sink.bytes
    }

    func beginPage() {
        if pageNumber > 0, pageCount != nil { unsafe cairo_show_page(canvas) }
        pageNumber += 1
        y = Self.margin
        draw(unsafe Layout(sender, .small, Self.textWidth, canvas), atY: Self.margin / 2)
        if let pageCount {
            let number = unsafe Layout(
                "Page \(pageNumber) of \(pageCount)",
                .small,
                Self.textWidth,
                alignsRight: true,
                canvas
            )
            draw(number, atY: Self.height - Self.margin * 0.75)
        }
        repeatedHead?()
    }

    /// Lines of the full width; a new page where they do not fit.
    func set(text: String, _ style: Style) {
        for piece in text.pieces {
            let layout = unsafe Layout(piece, style, Self.textWidth, canvas)
            if style != .body { makeRoom(for: layout.height * 2) }
            for line in layout.lines {
                makeRoom(for: line.height)
                if isFull { return }
                draw(line, of: layout, atX: Self.margin, y)
                y += line.height
            }
        }
        skip(4)
    }

    /// A row of cells. A page ends within it only if it is higher than a third of one.
    func set(row: [String], _ columns: [PrintedTable.Column], _ style: Style) {
        let shares = columns.reduce(0) { $0 + $1.width }
        var x = Self.margin
        var cells: [(x: Double, lines: [(line: Layout.Line, layout: Layout)])] = []
        var height = 0.0
        if isFull { return }
        for (text, column) in zip(row, columns) {
            let width = Self.textWidth * column.width / shares
            let isRight = column.isNumber
            let lines = text.pieces.flatMap { piece in
                let layout = unsafe Layout(piece, style, width - Self.columnGap, alignsRight: isRight, canvas)
                return layout.lines.map { ($0, layout) }
            }
            cells.append((x, lines))
            height = max(height, lines.reduce(0) { $0 + $1.0.height })
            x += width
        }
        if height < Self.height / 3 { makeRoom(for: height) }
        for index in 0..<(cells.map(\.lines.count).max() ?? 0) {
            let beside = cells.compactMap { $0.lines.indices.contains(index) ? ($0.x, $0.lines[index]) : nil }
            let lineHeight = beside.reduce(0) { max($0, $1.1.line.height) }
            makeRoom(for: lineHeight)
            if isFull { return }
            for (x, (line, layout)) in beside { draw(line, of: layout, atX: x, y) }
            y += lineHeight
        }
        skip(2)
    }

    /// A thin line over the full width.
    func drawRule() {
        if pageCount != nil {
            unsafe cairo_set_line_width(canvas, 0.5)
            unsafe cairo_move_to(canvas, Self.margin, y)
            unsafe cairo_line_to(canvas, Self.width - Self.margin, y)
            unsafe cairo_stroke(canvas)
        }
        skip(3)
    }

    func skip(_ gap: Double) { y += gap }

    /// What is higher than a page begins on a new one all the same, once.
    private func makeRoom(for height: Double) {
        if y + min(height, Self.bottom - Self.margin * 2) > Self.bottom { beginPage() }
    }

    private func draw(_ layout: Layout, atY top: Double) {
        for line in layout.lines { draw(line, of: layout, atX: Self.margin, top + line.top) }
    }

    private func draw(_ line: Layout.Line, of layout: Layout, atX x: Double, _ y: Double) {
        guard pageCount != nil else { return }
        unsafe cairo_move_to(canvas, x + line.left, y + line.ascent)
        unsafe layout.show(line, on: canvas)
    }
}

extension String {
    /// Without noncharacters (Unicode §23.7), which cairo takes for ill-formed text.
    var printable: String { String(unicodeScalars.map { $0.properties.isNoncharacterCodePoint ? "?" : Character($0) }) }

    /// Parts that are set one below the other. Pango places lines in 32 bits of a 1024th of a point: as a whole, a text of
    /// 200,000 lines would not fit.
    var pieces: [String] {
        var pieces: [String] = []
        var rest = self[...]
        while let end = rest.index(rest.startIndex, offsetBy: Self.maximumPieceLength, limitedBy: rest.endIndex),
            end < rest.endIndex
        {
            let part = rest[..<end]
            let stop = part.lastIndex(where: \.isNewline) ?? part.lastIndex(of: " ")
            pieces.append(String(rest[..<(stop ?? end)]))
            rest = rest[(stop.map { rest.index(after: $0) } ?? end)...]
        }
        pieces.append(String(rest))
        return pieces
    }

    private static var maximumPieceLength: Int { 4_000 }

    /// As metadata take it: C strings end at a NUL, and titles have no lines.
    var withoutControls: String { String(printable.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) }) }
}
