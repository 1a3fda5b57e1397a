/// The contents of a libpq URI or `key=value` text, as read by libpq itself.
///
/// They may include a password: print ``summary``, never the original text.
package struct ConnectionInfo: Sendable {
    private let settings: ConnectionSettings

    /// nil when libpq does not understand the text.
    package init?(_ text: String) {
        // libpq takes text without a scheme and without "=" for the name of a database, and "" for all defaults.
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") || text.contains("=") else { return nil }
        // A second @ before the parameters is one of the password, not escaped: libpq would take the password's end for
        // the host, and print it.
        guard text.prefixMatch(of: #/postgres(?:ql)?://[^@/]*@[^?@]*@/#) == nil else { return nil }
        guard let settings = ConnectionSettings(parsing: text) else { return nil }
        // libpq looks at ports only when it connects.
        let ports = (settings["port"] ?? "").split(separator: ",")
        guard ports.allSatisfy({ UInt16($0).map { $0 > 0 } ?? false }) else { return nil }
        self.settings = settings
    }

    /// All that is said, the password too.
    package var pairs: [(keyword: String, value: String)] { settings.pairs.map { ($0.keyword, $0.value) } }

    package subscript(_ keyword: String) -> String? { settings[keyword] }

    package var hosts: [String] { settings.servers.map { $0.host.isEmpty ? $0.address : $0.host } }

    /// Whether every server is reached over a unix socket or the loopback interface.
    package var isLocal: Bool {
        hosts.allSatisfy { host in
            ["", "localhost", "::1"].contains(host) || host.hasPrefix("/") || host.hasPrefix("127.")
        }
    }

    /// User, hosts and database in readable form, never the password.
    package var summary: String {
        let user = settings["user"].map { "\($0)@" } ?? ""
        let port = settings["port"].map { ":\($0)" } ?? ""
        let database = settings["dbname"].map { "/\($0)" } ?? ""
        let hosts = hosts.map { $0.isEmpty ? "local socket" : $0 }.joined(separator: ",")
        return "\(user)\(hosts)\(port)\(database)"
    }
}
