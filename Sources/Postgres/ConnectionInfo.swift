internal import CLibpq

/// What a libpq URI or `key=value` text says, read by libpq itself.
///
/// It may hold a password: print ``summary``, never the text it was made of.
package struct ConnectionInfo: Sendable {
    private let values: [String: String]

    /// nil when libpq does not understand the text. libpq's own message is dropped, as it quotes from the text.
    package init?(_ text: String) {
        // libpq takes a text without any "=" and without a scheme for a database's name, and "" for all defaults.
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") || text.contains("=") else { return nil }
        guard let options = unsafe PQconninfoParse(text, nil) else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = String(cString: value)
            }
            unsafe option += 1
        }
        // libpq looks at ports only when it connects.
        let ports = (values["port"] ?? "").split(separator: ",")
        guard ports.allSatisfy({ UInt16($0).map { $0 > 0 } ?? false }) else { return nil }
        self.values = values
    }

    package subscript(_ keyword: String) -> String? { values[keyword] }

    package var hosts: [String] {
        (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(
            String.init
        )
    }

    /// Whether every server is reached over a unix socket or the loopback interface.
    package var isLocal: Bool {
        hosts.allSatisfy { host in
            ["", "localhost", "::1"].contains(host) || host.hasPrefix("/") || host.hasPrefix("127.")
        }
    }

    /// User, hosts and database, for people: never the password.
    package var summary: String {
        let user = values["user"].map { "\($0)@" } ?? ""
        let port = values["port"].map { ":\($0)" } ?? ""
        let database = values["dbname"].map { "/\($0)" } ?? ""
        let hosts = hosts.map { $0.isEmpty ? "local socket" : $0 }.joined(separator: ",")
        return "\(user)\(hosts)\(port)\(database)"
    }
}
