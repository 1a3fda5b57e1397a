import SwiftletEssentials
import SwiftletPostgres

/// The connection to the database. Never prints the password.
struct DatabaseSettings: Sendable, CustomStringConvertible, CustomReflectable {
    /// Contains the password.
    let url: String
    /// nil means the default for the number of event loops.
    let connections: Int?
    let isPrepared: Bool
    /// `DATABASE_DIRECT_URL`, with its password: the way past a pooler.
    let directURL: String?
    /// `DATABASE_REPLICA_URLS`, with their passwords; each is one standby.
    let replicas: [String]
    /// How far behind the primary a replica may be that takes reads.
    let replicaLag: Duration
    let isLocal: Bool
    let description: String

    /// For commands, which need none of the server's other settings.
    init(_ environment: Environment) throws(ConfigurationError) {
        var reader = SettingsReader(environment)
        self.init(&reader)
        try reader.finish()
    }

    /// Refuses a missing or unreadable URL.
    init(_ reader: inout SettingsReader) {
        let text = reader.text("DATABASE_URL")
        let info = text.flatMap { ConnectionInfo($0) }
        if text == nil {
            reader.refuse("DATABASE_URL is missing: postgresql://user:password@host:5432/name (or try: swiftlet dev)")
        } else if info == nil {
            reader.refuse(
                "DATABASE_URL is not a libpq URI: postgresql://user:password@host:5432/name, with @ as %40, and without "
                    + "parameters that libpq does not know (such as pgbouncer)"
            )
        }
        for fault in info.map(Self.faults) ?? [] { reader.refuse("DATABASE_URL: \(fault)") }
        url = text ?? ""
        isLocal = info?.isLocal ?? false
        description = info?.summary ?? "none"
        connections = reader.read(
            "DATABASE_CONNECTIONS",
            default: nil,
            accepted: "a whole number from 2 to 1000"
        ) { text in
            Int(text).flatMap { (2...1000).contains($0) ? .some(.some($0)) : nil }
        }
        isPrepared = reader.flag("DATABASE_PREPARED", default: true)
        directURL = reader.read(
            "DATABASE_DIRECT_URL",
            default: nil,
            accepted: "a libpq URI, as DATABASE_URL"
        ) { text -> String?? in ConnectionInfo(text) == nil ? nil : .some(text) }
        replicas = reader.list("DATABASE_REPLICA_URLS")
        replicaLag = reader.duration("DATABASE_REPLICA_LAG", default: .seconds(10))
        for (index, replica) in replicas.enumerated() {
            let info = replica.contains("://") ? ConnectionInfo(replica) : nil
            let faults = info.map { ($0.hosts.count > 1 ? ["it names several hosts"] : []) + Self.faults($0) }
            for fault in faults ?? ["it is not a libpq URI, such as postgresql://user:password@replica:5432/name"] {
                reader.refuse("DATABASE_REPLICA_URLS: the replica \(index + 1) cannot be used: \(fault)")
            }
        }
        if replicas.count > Self.maximumReplicas {
            reader.refuse("DATABASE_REPLICA_URLS has more than \(Self.maximumReplicas) replicas")
        }
    }

    private static let maximumReplicas = 16

    /// What libpq accepts at first, and refuses at each attempt to connect.
    private static func faults(_ info: ConnectionInfo) -> [String] {
        var faults: [String] = []
        for (keyword, words) in choices {
            guard let value = info[keyword], !value.isEmpty, !words.contains(value) else { continue }
            faults.append("\(keyword) must be one of \(words.joined(separator: ", "))")
        }
        for keyword in ["sslrootcert", "sslcert", "sslkey", "sslcrl"] {
            guard let path = info[keyword], !path.isEmpty, path != "system",
                !FileManager.default.isReadableFile(atPath: path)
            else { continue }
            faults.append("\(keyword) must be a file that can be read")
        }
        return faults
    }

    private static let choices: KeyValuePairs<String, [String]> = [
        "sslmode": ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
        "gssencmode": ["disable", "prefer", "require"],
        "channel_binding": ["disable", "prefer", "require"],
        "target_session_attrs": ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
    ]

    var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}
