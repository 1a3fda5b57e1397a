/// Lines of source text, deeper in each block.
struct SourceWriter {
    private(set) var source = ""
    private let indentation: Int
    private var depth = 0

    /// `indentation` is how many spaces deeper each block is.
    init(indentation: Int = 4) { self.indentation = indentation }

    mutating func line(_ text: String) {
        if !text.isEmpty { source += String(repeating: " ", count: depth * indentation) + text }
        source += "\n"
    }

    /// As it is.
    mutating func text(_ text: String) { source += text }

    mutating func comment(_ text: String?) {
        guard let text else { return }
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            line(part.isEmpty ? "///" : "/// \(part)")
        }
    }

    mutating func block(_ head: String, end: String = "}", _ body: (inout SourceWriter) -> Void) {
        line(head + " {")
        depth += 1
        body(&self)
        depth -= 1
        line(end)
    }
}
