import SwiftletCLibpq
import SwiftletEventLoop

/// Connection keywords and values for libpq, in order; of two with the same keyword libpq takes the later.
struct ConnectionSettings: Sendable, Equatable {
    private(set) var pairs: [Pair]

    struct Pair: Sendable, Equatable {
        let keyword: String
        var value: String
    }

    private init(pairs: [Pair]) { self.pairs = pairs }

    init(_ settings: KeyValuePairs<String, String>) {
        pairs = settings.map { Pair(keyword: $0.key, value: $0.value) }
    }

    /// Takes a URI or `key=value` text apart; nil when libpq does not understand it. libpq's own message is dropped, as
    /// it quotes from the text, which may hold a password.
    init?(parsing url: String) {
        guard let options = unsafe PQconninfoParse(url, nil) else { return nil }
        pairs = unsafe Self.pairs(freeing: options)
        guard let defaults = unsafe PQconndefaults() else { return }
        unsafe nameServers(from: ConnectionSettings(pairs: Self.pairs(freeing: defaults)))
    }

    /// Without a server in the text, libpq takes that of the environment (`PGHOST`, `PGSERVICE`) when it connects, and
    /// would resolve its name on the loop.
    mutating func nameServers(from defaults: ConnectionSettings) {
        guard ["host", "hostaddr", "service"].allSatisfy({ self[$0] == nil }) else { return }
        guard defaults["host"] != nil || defaults["hostaddr"] != nil else { return }
        for keyword in ["host", "hostaddr", "port"] {
            if let value = defaults[keyword] { setDefault(keyword, value) }
        }
    }

    private static func pairs(freeing options: UnsafeMutablePointer<PQconninfoOption>) -> [Pair] {
        defer { unsafe PQconninfoFree(options) }
        var pairs: [Pair] = []
        var index = 0
        while let keyword = unsafe options[index].keyword {
            if let value = unsafe options[index].val {
                unsafe pairs.append(Pair(keyword: String(cString: keyword), value: String(cString: value)))
            }
            index += 1
        }
        return pairs
    }

    subscript(_ keyword: String) -> String? {
        get { pairs.first { $0.keyword == keyword }?.value }
        set {
            pairs.removeAll { $0.keyword == keyword }
            if let newValue { pairs.append(Pair(keyword: keyword, value: newValue)) }
        }
    }

    /// The servers to try, in order. A single port is that of all of them.
    var servers: [ServerAddress] {
        get {
            let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
            return (0..<max(hosts.count, addresses.count)).map { index in
                ServerAddress(
                    host: index < hosts.count ? hosts[index] : "",
                    address: index < addresses.count ? addresses[index] : "",
                    port: ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
                )
            }
        }
        set {
            setList("host", newValue.map(\.host))
            setList("hostaddr", newValue.map(\.address))
            setList("port", newValue.map(\.port))
        }
    }

    private func list(_ keyword: String) -> [String] {
        (self[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private mutating func setList(_ keyword: String, _ values: [String]) {
        self[keyword] = values.allSatisfy(\.isEmpty) ? nil : values.joined(separator: ",")
    }

    private mutating func setDefault(_ keyword: String, _ value: String) {
        if self[keyword] == nil { self[keyword] = value }
    }

    /// Adds what every session of the pool needs.
    ///
    /// The timeouts are sent as start-up options, which saves a round trip, and before the user's own options, which
    /// may change them. A pooler refuses such options. The parameters on which the text of results depends come from
    /// the environment, see ``SessionEnvironment``.
    func forSession(_ configuration: DatabaseConfiguration) -> ConnectionSettings {
        var settings = self
        settings["client_encoding"] = "UTF8"
        settings.setDefault("fallback_application_name", "swiftlet")
        settings.setDefault("keepalives_idle", "30")
        settings.setDefault("keepalives_interval", "10")
        settings.setDefault("keepalives_count", "3")
        settings.setDefault("tcp_user_timeout", "10000")
        if configuration.isPrepared {
            settings["options"] = """
                -c statement_timeout=\(Self.milliseconds(configuration.statementTimeout)) \
                -c lock_timeout=\(Self.milliseconds(configuration.lockTimeout)) \
                -c quote_all_identifiers=off \
                \(self["options"] ?? "")
                """
        }
        return settings
    }

    /// Of several hosts only the primary is taken, unless the user has asked for another: nobody can listen on a standby, and
    /// what is read there (since PostgreSQL 16) is not the primary's slot.
    func onPrimary() -> ConnectionSettings {
        var settings = self
        if servers.count > 1 { settings.setDefault("target_session_attrs", "primary") }
        return settings
    }

    /// For a connection that replicates the database. The server looks after us every five seconds, and gives us up
    /// after ten; values read as they do by default, whatever the role or the database has set.
    func forReplication() -> ConnectionSettings {
        var settings = onPrimary()
        settings["client_encoding"] = "UTF8"
        settings["replication"] = "database"
        settings.setDefault("fallback_application_name", "swiftlet")
        settings.setDefault("tcp_user_timeout", "10000")
        settings["options"] = """
            \(self["options"] ?? "") -c wal_sender_timeout=10s -c statement_timeout=0 -c lock_timeout=0 \
            -c extra_float_digits=1 -c bytea_output=hex -c IntervalStyle=postgres
            """
        return settings
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { duration.wholeNanoseconds / 1_000_000 }

    /// Starts the list with another server, so that one that drops packets does not keep the others from being tried.
    func rotated(by turns: Int) -> ConnectionSettings {
        let servers = servers
        let first = turns % servers.count
        return first == 0 ? self : with(servers[first...] + servers[..<first])
    }

    /// The list from behind the given server on; nil when that was the last one.
    func following(_ tried: ServerAddress) -> ConnectionSettings? {
        let servers = servers
        guard let found = servers.firstIndex(where: { $0.stands(for: tried) }), found + 1 < servers.count else {
            return nil
        }
        return with(servers[(found + 1)...])
    }

    /// Unchanged if its lists do not match: libpq refuses such, and says why.
    func with(_ servers: some Sequence<ServerAddress>) -> ConnectionSettings {
        let count = self.servers.count
        guard self["host"] == nil || list("host").count == count,
            self["hostaddr"] == nil || list("hostaddr").count == count,
            [1, count].contains(list("port").count)
        else { return self }
        var settings = self
        settings.servers = Array(servers)
        return settings
    }

    /// Lends keywords and values as libpq takes them: two lists of C strings that end with nil.
    func withCStrings<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let keywords = pairs.map { $0.keyword.utf8CString }
        let values = pairs.map { $0.value.utf8CString }
        return unsafe Self.withPointers(keywords[...], []) { keywords in
            unsafe Self.withPointers(values[...], []) { values in unsafe body(keywords, values) }
        }
    }

    /// Collects pointers to each string while all of them are held; ends the list with nil.
    private static func withPointers<Result>(
        _ strings: ArraySlice<ContiguousArray<CChar>>,
        _ collected: [UnsafePointer<CChar>?],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        guard let first = strings.first else {
            return unsafe (collected + [nil]).withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
        return unsafe first.withUnsafeBufferPointer { first in
            unsafe withPointers(strings.dropFirst(), collected + [first.baseAddress], body)
        }
    }
}
