extension Response {
    /// Names what was left out of account, each once, as far as that is valid in a header; scripts of other origins may
    /// read it.
    package mutating func list(_ names: [String], in header: Headers.Name) {
        guard !names.isEmpty else { return }
        let before = headers[header].map { $0.split(separator: ",").map { String($0.trimmingSpaces()) } } ?? []
        let printable = names.prefix(20).filter { name in
            let isVisible = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
            return isVisible && (1...64).contains(name.utf8.count) && !before.contains(name)
        }
        let all = before + printable
        headers[header] = all.isEmpty ? "\(names.count) unknown" : all.joined(separator: ", ")
        let field = header.text.lowercased()
        if exposedFields?.contains(field) != true {
            exposedFields = exposedFields.map { "\($0), \(field)" } ?? field
        }
    }
}
