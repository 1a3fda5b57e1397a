/// Which bytes of a body a client asks for by `Range` (RFC 9110 §14).
package enum ByteRangeRequest: Equatable {
    case whole
    case part(Range<Int>)
    /// Beyond the end: 416.
    case unsatisfiable

    /// One range of bytes. Several, and what is malformed, are ignored, as RFC 9110 §14.2 allows.
    package init(_ field: String?, length: Int) {
        self = .whole
        guard let field, field.lowercased().hasPrefix("bytes=") else { return }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(Self.trimmed)
        guard ends.count == 2 else { return }
        let numbers = ends.map { text in text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?):
            guard first <= last else { return }
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty: self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, let count?) where ends[0].isEmpty:
            self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
        default: break
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
