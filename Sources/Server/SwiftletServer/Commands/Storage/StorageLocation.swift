import ArgumentParser

/// A file or folder of a command: `storage://bucket/name`, or a path of this machine.
enum StorageLocation: Equatable, ExpressibleByArgument {
    case object(bucket: String, name: String)
    case local(String)

    init?(argument: String) {
        guard let rest = argument.hasPrefix("storage://") ? argument.dropFirst(10) : nil else {
            guard !argument.isEmpty, !argument.contains("://") else { return nil }
            self = .local(argument)
            return
        }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bucket = parts.first else { return nil }
        self = .object(bucket: String(bucket), name: parts.count > 1 ? String(parts[1]) : "")
    }
}

/// Where the server is, and how long one may take.
struct StorageServerOptions: ParsableArguments {
    @Option(help: "The server's address; API_EXTERNAL_URL otherwise, else this machine at PORT.")
    var url: String?

    func client() throws -> StorageAPI {
        let environment = try Environment.current().withDevelopmentDefaults()
        let local = LocalURL(
            host: environment["HOST"] ?? "127.0.0.1",
            port: environment["PORT"] ?? "8000",
            isSecure: environment["TLS_CERT_FILE"] != nil
        )
        let base = url ?? environment["API_EXTERNAL_URL"] ?? "\(local)"
        return try StorageAPI(base, environment)
    }
}
