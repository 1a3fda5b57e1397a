extension String {
    /// The text with `?` for every control character, so that it neither begins a line nor commands the terminal that
    /// shows it. U+0080–U+009F are controls too (ECMA-48 §5.3): U+009B begins an escape sequence in xterm.
    package var withoutControls: String {
        var printable = UnicodeScalarView()
        printable.append(contentsOf: unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        return String(printable)
    }
}

extension Substring {
    /// Without the optional white space around a list's elements (RFC 9110 §5.6.3).
    package func trimmingSpaces() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
