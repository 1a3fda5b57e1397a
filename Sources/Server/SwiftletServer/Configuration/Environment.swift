import SwiftletEssentials

/// Environment variables and a `.env` file. The environment takes precedence; empty values count as not set. Line ends
/// around a value are cut off: a secret that comes from a file often has one.
struct Environment: Sendable {
    private let values: [String: String]
    /// The names in the `.env` file, and those of them that it has twice.
    let fileNames: Set<String>
    let doubledNames: [String]

    init(_ values: [String: String]) { self.init(values, fileNames: [], doubledNames: []) }

    private init(_ values: [String: String], fileNames: Set<String>, doubledNames: [String]) {
        self.values = values.mapValues(Self.trimmed).filter { !$0.value.isEmpty }
        self.fileNames = fileNames
        self.doubledNames = doubledNames
    }

    init(process: [String: String], file: EnvironmentFile) {
        self.init(
            file.values.merging(process.filter { !Self.trimmed($0.value).isEmpty }) { $1 },
            fileNames: Set(file.values.keys),
            doubledNames: file.doubledNames
        )
    }

    private static func trimmed(_ value: String) -> String {
        let isEnd: (Character) -> Bool = { ["\n", "\r", "\r\n"].contains($0) }
        guard value.first.map(isEnd) == true || value.last.map(isEnd) == true else { return value }
        var rest = value.drop(while: isEnd)
        while rest.last.map(isEnd) == true { rest.removeLast() }
        return String(rest)
    }

    /// Reads `.env` in the working directory, if there is one.
    static func current(
        folder: String = FileManager.default.currentDirectoryPath
    ) throws(ConfigurationError) -> Environment {
        let path = "\(folder)/.env"
        let process = ProcessInfo.processInfo.environment
        guard FileManager.default.fileExists(atPath: path) else { return Environment(process) }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ConfigurationError([".env cannot be read: check its permissions, and that it is UTF-8"])
        }
        return Environment(process: process, file: try EnvironmentFile(text))
    }

    subscript(_ name: String) -> String? { values[name] }

    var names: [String] { Array(values.keys) }

    /// `JWT_SECRET`, or the name that Supabase gives it.
    var jwtSecret: String? { self["JWT_SECRET"] ?? self["SUPABASE_JWT_SECRET"] }

    /// A copy in which `name` has the value, if it had none.
    func with(_ name: String, default value: String?) -> Environment {
        guard let value else { return self }
        return with(values.merging([name: value]) { old, _ in old })
    }

    /// Whether a secret or a key set is configured, so that `dev` need not make a secret.
    var hasKeys: Bool { jwtSecret != nil || self["JWT_JWKS"] != nil }

    /// A copy in which `name` has the value, whatever it had.
    func setting(_ name: String, to value: String?) -> Environment {
        guard let value else { return self }
        return with(values.merging([name: value]) { $1 })
    }

    private func with(_ values: [String: String]) -> Environment {
        Environment(values, fileNames: fileNames, doubledNames: doubledNames)
    }
}
