/// An enumeration that also holds the words it does not know, which leave as they came.
struct SwiftEnumeration {
    let name: String
    let words: [String]
    let access: String

    func write(to writer: inout SourceWriter) {
        var taken = TakenNames()
        let cases = words.map { (name: SwiftName.escaped(taken.take(SwiftName.member($0))), word: $0) }
        let unknown = cases.contains { $0.name == "unknown" } ? taken.take("unrecognized") : "unknown"
        writer.block("\(access) enum \(name): RawRepresentable, CaseIterable, Codable, Hashable, Sendable") { writer in
            for (name, _) in cases { writer.line("case \(name)") }
            writer.line("/// A word that came later than this file.")
            writer.line("case \(unknown)(String)")
            writer.line("")
            let list = cases.map { ".\($0.name)" }.joined(separator: ", ")
            writer.line("\(access) static let allCases: [\(name)] = [\(list)]")
            writer.line("")
            writer.block("\(access) init(rawValue: String)") { writer in
                writer.block("switch rawValue") { writer in
                    for (name, word) in cases { writer.line("case \(SwiftName.literal(word)): self = .\(name)") }
                    writer.line("default: self = .\(unknown)(rawValue)")
                }
            }
            writer.line("")
            writer.block("\(access) var rawValue: String") { writer in
                writer.block("switch self") { writer in
                    for (name, word) in cases { writer.line("case .\(name): return \(SwiftName.literal(word))") }
                    writer.line("case .\(unknown)(let word): return word")
                }
            }
        }
        writer.line("")
    }
}
