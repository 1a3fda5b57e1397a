/// A package that is a backend of its own, as `Examples/Notes` shows it.
struct ProjectTemplate {
    struct File: Equatable {
        let path: String
        let text: String
    }

    private let name: String
    private let module: String
    private let swiftlet: String

    /// `name` is the package's, `swiftlet` the path from its folder to Swiftlet's. Throws if the name cannot be one.
    init(name: String, swiftlet: String) throws(CommandFailure) {
        let words = name.split(separator: "-")
        let module = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let isName = name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
        guard isName, let first = name.first, first.isLowercase, name.last != "-" else {
            throw CommandFailure("a name has lower-case letters, digits and hyphens, and begins with a letter: \(name)")
        }
        guard !module.hasPrefix("Swiftlet"), !Self.taken.contains(module) else {
            throw CommandFailure("the package needs a module \(module) of somebody else: choose another name")
        }
        guard swiftlet.allSatisfy({ !$0.isNewline && $0 != "\"" && $0 != "\\" }) else {
            throw CommandFailure("the path of Swiftlet has characters that a manifest cannot hold")
        }
        self.name = name
        self.module = module
        self.swiftlet = swiftlet
    }

    var files: [File] {
        (Self.code + Self.deployment).map { File(path: filled($0.path), text: filled($0.text)) }
    }

    private func filled(_ text: String) -> String {
        text.replacing("{{package}}", with: name).replacing("{{module}}", with: module)
            .replacing("{{path}}", with: swiftlet)
    }

    /// Two modules of one name cannot be linked.
    private static let taken: Set<String> = ["ArgumentParser", "Foundation", "Logging", "Swift", "Testing"]
}
