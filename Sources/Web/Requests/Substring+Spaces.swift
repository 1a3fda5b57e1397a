extension Substring {
    /// Without the optional white space around a list's elements (RFC 9110 §5.6.3).
    package func trimmingSpaces() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
