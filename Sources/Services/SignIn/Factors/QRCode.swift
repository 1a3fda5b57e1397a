import SwiftletCQrencode

/// A QR code as a picture.
enum QRCode {
    /// The quiet zone that readers need (ISO/IEC 18004 §6.3.8).
    private static let margin = 4

    /// An SVG document, 200 pixels wide unless it is scaled; nil if the text is too long, at about 2,300 bytes.
    static func svg(of text: String) -> String? {
        guard !text.utf8.contains(0), let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else {
            return nil
        }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        let modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        // The lowest bit of each byte is its color.
        return picture(width) { row, column in unsafe modules[row * width + column] & 1 == 1 }
    }

    /// One path with a rectangle for each run of dark modules in a row.
    private static func picture(_ width: Int, isDark: (_ row: Int, _ column: Int) -> Bool) -> String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while column < width, isDark(row, column) { column += 1 }
                if column > start {
                    path += "M\(start + margin) \(row + margin)h\(column - start)v1h-\(column - start)z"
                } else {
                    column += 1
                }
            }
        }
        let size = width + 2 * margin
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 \(size) \(size)" \
            shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(size)v\(size)H0z"/><path d="\(path)"/></svg>
            """
    }
}
