import Foundation

/// Environment variables and a `.env` file. The environment takes precedence; empty values count as not set.
struct Environment: Sendable {
    private let values: [String: String]

    init(_ values: [String: String]) {
        self.values = values.filter { !$0.value.isEmpty }
    }

    init(process: [String: String], file: EnvironmentFile) {
        self.init(file.values.merging(process.filter { !$0.value.isEmpty }) { $1 })
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

    /// `JWT_SECRET`, or the name that Supabase gives it.
    var jwtSecret: String? { self["JWT_SECRET"] ?? self["SUPABASE_JWT_SECRET"] }

    /// A copy in which `name` has the value, if it had none.
    func with(_ name: String, default value: String?) -> Environment {
        guard let value else { return self }
        return Environment(values.merging([name: value]) { old, _ in old })
    }

    /// Whether a secret or a key set is configured, so that `dev` need not make a secret.
    var hasKeys: Bool { jwtSecret != nil || self["JWT_JWKS"] != nil }

    /// A copy in which `name` has the value, whatever it had.
    func setting(_ name: String, to value: String?) -> Environment {
        guard let value else { return self }
        return Environment(values.merging([name: value]) { $1 })
    }
}
