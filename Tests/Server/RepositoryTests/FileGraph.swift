import Foundation

/// Which file of a target names a type that another one declares.
///
/// Extensions declare nothing: what they add to a type may refer to whoever knows it.
struct FileGraph {
    /// The files that each one refers to.
    private var targets: [String: Set<String>] = [:]

    init(_ files: [(name: String, text: String)]) {
        let code = files.map { ($0.name, Self.code($0.text)) }
        var homes: [Substring: String] = [:]
        for (name, lines) in code {
            for line in lines { if let type = Self.declaration(line) { homes[type] = name } }
        }
        for (name, lines) in code {
            let words = lines.reduce(into: Set<Substring>()) { $0.formUnion(Self.words($1)) }
            targets[name] = Set(words.compactMap { homes[$0] }).subtracting([name])
        }
    }

    /// Files that reach each other, each set once.
    var rings: [Set<String>] {
        let reach = targets.keys.reduce(into: [:]) { $0[$1] = reached(from: $1) }
        let rings = reach.map { name, others in others.filter { reach[$0]?.contains(name) == true }.union([name]) }
        return Array(Set(rings.filter { $0.count > 1 }))
    }

    private func reached(from file: String) -> Set<String> {
        var found: Set<String> = []
        var open = Array(targets[file] ?? [])
        while let next = open.popLast() {
            if found.insert(next).inserted { open += targets[next] ?? [] }
        }
        return found
    }

    /// Lines without comments and literals.
    private static func code(_ text: String) -> [Substring] {
        let parts = text.components(separatedBy: "\"\"\"").enumerated().filter { $0.offset.isMultiple(of: 2) }
        return parts.flatMap { $0.element.split(separator: "\n") }.map { line in
            let bare = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ")
            return Substring(bare.components(separatedBy: "//")[0])
        }
    }

    /// The type that a line declares for other files.
    private static func declaration(_ line: Substring) -> Substring? {
        guard let first = line.utf8.first, first != 0x20 else { return nil }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard words.first != "private", words.first != "extension", !words.contains("import"),
            let keyword = words.firstIndex(where: {
                ["struct", "class", "enum", "protocol", "actor", "typealias"].contains($0)
            }), keyword + 1 < words.count
        else { return nil }
        return words[keyword + 1]
    }

    /// Those that begin like a type's name.
    private static func words(_ line: Substring) -> [Substring] {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0.first?.isUppercase == true }
    }
}
