import SwiftletPostgres

/// Whether there is a console at `/console`, and how it is reached.
struct ConsoleConfiguration: Sendable {
    enum Mode: Sendable { case off, readOnly, on }

    let mode: Mode
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

    var isOn: Bool { mode != .off }

    init(_ reader: inout SettingsReader, mode: Configuration.Mode, hasTLS: Bool) {
        let standard: Mode = mode == .development ? .on : .off
        self.mode = reader.choice("CONSOLE", default: standard, ["on": .on, "off": .off, "read-only": .readOnly])
        let external = reader.text("API_EXTERNAL_URL")
        externalURL = external
        let own = external.flatMap(Self.host(ofURL:)).map { [$0] } ?? []
        hosts = reader.list("CONSOLE_HOSTS").map { $0.lowercased() } + own
        isSecure = hasTLS || external?.lowercased().hasPrefix("https://") == true
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
