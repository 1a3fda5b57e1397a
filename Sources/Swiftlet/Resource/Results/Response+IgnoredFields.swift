extension Response {
    /// Names the body's unknown keys in `X-Ignored-Fields`, as far as they are valid in a header.
    mutating func nameIgnoredFields(_ keys: [String]) {
        guard !keys.isEmpty else { return }
        let printable = keys.prefix(20).filter { key in
            let isVisible = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
            return isVisible && (1...64).contains(key.utf8.count)
        }
        headers[.xIgnoredFields] = printable.isEmpty ? "\(keys.count) unknown" : printable.joined(separator: ", ")
    }
}
