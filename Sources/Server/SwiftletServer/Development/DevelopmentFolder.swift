import SwiftletAuth
import SwiftletEmbeddedPostgres
import SwiftletEssentials

/// `.swiftlet/` in the working directory: what `swiftlet dev` keeps between runs.
struct DevelopmentFolder: Sendable {
    let path: String

    init(_ path: String = "\(FileManager.default.currentDirectoryPath)/.swiftlet") { self.path = path }

    /// The private cluster's folder.
    var database: String { "\(path)/postgres" }
    /// The files that functions keep.
    var storage: String { "\(path)/storage" }
    /// The log of the server, as JSON lines.
    var log: String { "\(path)/server.log" }
    /// A script that is run once in a new database, beside the folder.
    var seed: String { "\(URL(fileURLWithPath: path).deletingLastPathComponent().path)/seed.sql" }
    /// An HTTP header for `curl -H @file`, to keep the banner's commands short.
    var authorization: String { "\(path)/authorization" }

    /// The URL of the private database, while a `swiftlet dev` of this folder runs.
    var runningDatabaseURL: String? { PostgresCluster.runningURL(in: database, database: "swiftlet") }

    /// The stored JWT secret, if there is one.
    var secret: String? {
        let text = try? String(contentsOfFile: "\(path)/jwt-secret", encoding: .utf8)
        return text?.trimmed
    }

    /// Creates the folder. Other users can enter it, as the database's user must, but cannot list it.
    func create() throws(ConfigurationError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: path)
        } catch {
            let cause = error.reason
            throw ConfigurationError(["The folder \(path) cannot be created: \(cause) Use a folder that you own."])
        }
    }

    /// The stored JWT secret, or a new one that is stored.
    func makeSecret() throws -> String {
        if let secret, secret.utf8.count >= TokenSettings.minimumSecretBytes { return secret }
        let secret = try ServerKeys.make(now: Int(Date().timeIntervalSince1970)).secret
        try write("\(secret)\n", to: "\(path)/jwt-secret")
        return secret
    }

    func writeAuthorization(token: String) throws {
        try write("Authorization: Bearer \(token)\n", to: authorization)
    }

    /// Creates the file with its permissions, so that nobody else can ever read it.
    func write(_ text: String, to file: String) throws {
        do {
            try SecretFile.write(text, to: file)
        } catch {
            throw ConfigurationError(["\(file) cannot be written"])
        }
    }
}
