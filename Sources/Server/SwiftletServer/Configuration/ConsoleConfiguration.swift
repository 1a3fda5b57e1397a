import SwiftletPostgres

/// Whether there is a console at `/console`, and how it is reached.
struct ConsoleConfiguration: Sendable {
    enum Mode: Sendable { case off, readOnly, on }

    let mode: Mode
    /// Where it is served instead of the server's own address; nil for there.
    let listen: Listen?
    /// Host names that are answered beside those of this machine, in lower case.
    let hosts: [String]
    /// Cookies are for HTTPS only.
    let isSecure: Bool
    /// The login role for statements that operators type; nil for the server's own.
    let statementURL: String?
    /// A folder whose files are served in place of the binary's.
    let assetsFolder: String?
    /// Where clients find it.
    let externalURL: String?

    /// An address and a port of its own.
    struct Listen: Sendable, Equatable, CustomStringConvertible {
        let host: String
        let port: Int

        /// nil for what is not `127.0.0.1:9000`, `[::1]:9000` or `name:9000`.
        init?(_ text: String) {
            guard let match = text.wholeMatch(of: #/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.\-]+):(\d{1,5})/#),
                let port = Int(match.2), (1...65535).contains(port)
            else { return nil }
            host = match.1.hasPrefix("[") ? String(match.1.dropFirst().dropLast()) : String(match.1)
            self.port = port
        }

        var description: String { "\(urlHost):\(port)" }

        /// As browsers write it.
        var urlHost: String { host.contains(":") ? "[\(host)]" : host.lowercased() }

        var isEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }
    }

    var isOn: Bool { mode != .off }

    init(_ reader: inout SettingsReader, mode: Configuration.Mode, hasTLS: Bool) {
        let standard: Mode = mode == .development ? .on : .off
        self.mode = reader.choice("CONSOLE", default: standard, ["on": .on, "off": .off, "read-only": .readOnly])
        listen = reader.read(
            "CONSOLE_LISTEN",
            default: nil,
            accepted: "an address and a port of its own, such as 127.0.0.1:9000"
        ) { text in Listen(text).map { .some($0) } }
        let external = reader.text("API_EXTERNAL_URL")
        externalURL = external
        let own = external.flatMap(Self.host(ofURL:)).map { [$0] } ?? []
        let address = listen.flatMap { $0.isEverywhere ? nil : [$0.urlHost] } ?? []
        hosts = reader.list("CONSOLE_HOSTS").map { $0.lowercased() } + own + address
        // An address of its own is reached past the proxy that speaks HTTPS for the server.
        isSecure = hasTLS || (listen == nil && external?.lowercased().hasPrefix("https://") == true)
        assetsFolder = reader.text("SWIFTLET_CONSOLE_DIR")
        statementURL = reader.read(
            "CONSOLE_DATABASE_URL",
            default: nil,
            accepted: "a libpq URI: postgresql://user:password@host:5432/name"
        ) { ConnectionInfo($0) == nil ? nil : $0 }
    }

    private static func host(ofURL url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let authority = url[start...].prefix { $0 != "/" }.lowercased()
        if authority.hasPrefix("[") { return authority.firstIndex(of: "]").map { String(authority[...$0]) } }
        return authority.split(separator: ":").first.map(String.init)
    }
}

/// The address for statements may have a password, so it is never printed.
extension ConsoleConfiguration: CustomStringConvertible, CustomReflectable {
    var description: String { "ConsoleConfiguration(\(mode))" }

    var customMirror: Mirror { Mirror(self, children: ["mode": mode]) }
}
