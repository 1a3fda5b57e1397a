/// What the sources of an app say of its functions and routes: the doc comments of `Function`s and of handlers.
///
/// A program has no doc comments any more when it runs, so `swiftlet generate summaries` reads them beforehand.
package struct DocComments {
    /// By `notes` for a function, and by `POST /notes/:id/send` for a route.
    package private(set) var texts: [String: String] = [:]

    private let files: [[Substring]]

    /// `sources` are the texts of all files of one app, in any order.
    package init(sources: [String]) {
        files = sources.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        for lines in files { read(lines) }
    }

    private mutating func read(_ lines: [Substring]) {
        var function: String?
        var depth = 0
        for (index, line) in lines.enumerated() {
            if function == nil, let match = line.firstMatch(of: #/Function\("([^"]+)"[^{]*\{\s*$/#) {
                function = String(match.1)
                depth = line.prefix { $0 == " " }.count
                add(comment(above: index, in: lines), for: String(match.1))
                continue
            }
            guard let name = function else { continue }
            if line.hasPrefix(String(repeating: " ", count: depth) + "}") {
                function = nil
                continue
            }
            let route = #/^\s*(Get|Post|Put|Patch|Delete)(?:\((?:"([^"]*)")?(?:,\s*)?([A-Za-z_]\w*)?\))/#
            guard let match = line.firstMatch(of: route) else { continue }
            let path = match.2.map(String.init) ?? "/"
            let key = "\(match.1.uppercased()) /\(name)\(path == "/" ? "" : path)"
            // A comment beside the route is about that route; that of the handler is about all of its routes.
            let own = comment(above: index, in: lines)
            add(own ?? match.3.flatMap { comment(ofHandler: String($0), near: lines) }, for: key)
        }
    }

    private mutating func add(_ text: String?, for key: String) {
        if let text, texts[key] == nil { texts[key] = text }
    }

    /// That of the same file, else one that is not private to another.
    private func comment(ofHandler name: String, near lines: [Substring]) -> String? {
        for (place, lines) in ([lines] + files).enumerated() {
            let found = lines.firstIndex { line in
                line.contains("func \(name)(_ request") && (place == 0 || !line.contains("private "))
            }
            if let found { return comment(above: found, in: lines) }
        }
        return nil
    }

    /// The lines of `///` that end just above, as one text with a line per paragraph.
    private func comment(above index: Int, in lines: [Substring]) -> String? {
        var found: [Substring] = []
        for line in lines[..<index].reversed() {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("///") else { break }
            found.append(text.dropFirst(3).drop { $0 == " " })
        }
        guard !found.isEmpty else { return nil }
        let paragraphs = found.reversed().split(whereSeparator: \.isEmpty).map { $0.joined(separator: " ") }
        return Self.plain(paragraphs.joined(separator: "\n"))
    }

    /// Links to symbols are of no use outside of the code.
    private static func plain(_ text: String) -> String { text.replacing("``", with: "`") }
}

extension DocComments {
    /// A file of Swift that holds them, for the app's own package.
    package var swift: String {
        var text = """
            // Made by `swiftlet generate summaries` from the doc comments beside the routes and their handlers.

            /// What `/docs` and `/openapi.json` say of the functions and routes.
            let documentation: [String: String] = [

            """
        for (key, comment) in texts.sorted(by: { $0.key < $1.key }) {
            text += "    \(Self.literal(key)):\n        \(Self.wrapped(comment)),\n"
        }
        if texts.isEmpty { text += "    :\n" }
        return text + "]\n"
    }

    private static let width = 100

    /// On several lines if it is long.
    private static func wrapped(_ text: String) -> String {
        let whole = literal(text)
        guard whole.count > width else { return whole }
        var lines: [String] = []
        for (index, paragraph) in text.split(separator: "\n").enumerated() {
            var line = index > 0 ? "\\n" : ""
            for word in paragraph.split(separator: " ") {
                let word = word.replacing("\\", with: "\\\\").replacing("\"\"\"", with: "\\\"\"\"")
                if line.count + word.count > width {
                    lines.append(line)
                    line = ""
                }
                line += line.isEmpty || line == "\\n" ? word : " \(word)"
            }
            lines.append(line)
        }
        return "\"\"\"\n    "
            + lines.enumerated().map { index, line in
                let continues = index + 1 < lines.count
                let space = continues && !lines[index + 1].hasPrefix("\\n") ? " " : ""
                return line + (continues ? "\(space)\\" : "")
            }
            .joined(separator: "\n    ") + "\n    \"\"\""
    }

    private static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
