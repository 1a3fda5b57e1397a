import SwiftletCPango

/// A text broken into lines of a width, shaped for its scripts.
@safe
final class Layout {
    /// One line, placed in relation to its layout.
    struct Line {
        let left: Double
        let top: Double
        let height: Double
        /// From its top to its baseline.
        let ascent: Double
        fileprivate let index: Int32
    }

    private let layout: OpaquePointer

    /// `width` is in points.
    init(_ text: String, _ style: PageSetter.Style, _ width: Double, alignsRight: Bool = false, _ canvas: OpaquePointer)
    {
        unsafe layout = pango_cairo_create_layout(canvas)
        // A unit of the page is a point; without this, a font of ten points is set as on a screen of 96 dots per inch.
        unsafe pango_cairo_context_set_resolution(pango_layout_get_context(layout), 72)
        var text = text.printable
        text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe pango_layout_set_text(layout, characters.baseAddress, Int32(clamping: characters.count))
            }
        }
        let font = unsafe pango_font_description_from_string(style.rawValue)
        unsafe pango_layout_set_font_description(layout, font)
        unsafe pango_font_description_free(font)
        unsafe pango_layout_set_width(layout, Int32(width * Double(cpango_scale)))
        unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        if alignsRight { unsafe pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT) }
    }

    /// Draws one of its lines with the baseline at the canvas's point.
    func show(_ line: Line, on canvas: OpaquePointer) {
        guard let line = unsafe pango_layout_get_line_readonly(layout, line.index) else { return }
        unsafe pango_cairo_show_layout_line(canvas, line)
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(layout)) }

    var height: Double { lines.last.map { $0.top + $0.height } ?? 0 }

    private(set) lazy var lines: [Line] = {
        guard let iterator = unsafe pango_layout_get_iter(layout) else { return [] }
        defer { unsafe pango_layout_iter_free(iterator) }
        var lines: [Line] = []
        let scale = Double(cpango_scale)
        repeat {
            var place = PangoRectangle()
            unsafe pango_layout_iter_get_line_extents(iterator, nil, &place)
            let baseline = unsafe pango_layout_iter_get_baseline(iterator)
            lines.append(
                Line(
                    left: Double(place.x) / scale,
                    top: Double(place.y) / scale,
                    height: Double(place.height) / scale,
                    ascent: (Double(baseline) - Double(place.y)) / scale,
                    index: Int32(lines.count)
                )
            )
        } while unsafe pango_layout_iter_next_line(iterator) != 0
        return lines
    }()
}
