import SwiftletBytes
import SwiftletWeb
import Synchronization

/// Reads settings and collects their faults, so that an operator sees all of them at once.
struct SettingsReader {
    private let environment: Environment
    private let asked = AskedNames()
    private var faults: [String] = []

    init(_ environment: Environment) { self.environment = environment }

    mutating func refuse(_ fault: String) { faults.append(fault) }

    /// Throws all faults.
    func finish() throws(ConfigurationError) {
        // A line end inside a value is no part of any name, address or secret, and would end a header or a statement.
        let isNamed = { [faults] (name: String) in faults.contains { $0.hasPrefix(name + " ") } }
        let broken = Set(asked.names.keys).subtracting(Self.multilineNames).sorted().filter { name in
            environment[name]?.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F } == true
        }
        let unnamed = broken.filter { !isNamed($0) }
        let faults = faults + unnamed.map { "\($0) has a line end or another control character inside: remove it" }
        guard faults.isEmpty else { throw ConfigurationError(faults) }
    }

    /// Settings whose blanks may be line ends: JSON and lists.
    private static let multilineNames: Set<String> = [
        "JWT_ISSUERS", "JWT_SIGNING_KEY", "ALLOWED_ORIGINS", "URI_ALLOW_LIST", "APPLE_CLIENT_IDS", "GOOGLE_CLIENT_IDS",
        "REST_SCHEMAS", "REST_EXTRA_SEARCH_PATH",
    ]

    func text(_ name: String) -> String? {
        asked.add(name)
        return environment[name]
    }

    /// What the `.env` file says twice, or to nobody, in words.
    var notices: [String] {
        let known = asked.names
        let unknown = environment.fileNames.filter { known.index(forKey: $0) == nil && !Self.isOthers($0) }.sorted()
        return environment.doubledNames.map { ".env has \($0) twice: the last one counts" }
            + unknown.map { name in
                let near = NearestName.find(name, among: Array(known.keys), leastLikeness: 0.6)
                let meant = near.map { " (perhaps \($0)?)" } ?? ""
                return ".env has \(name), which nothing reads: misspelt\(meant), or of no use with these settings"
            }
    }

    /// Whether other programs read it: those of PostgreSQL's images, and its libraries.
    private static func isOthers(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["postgres_", "compose_", "pg", "swift_"].contains { name.hasPrefix($0) }
            || ["apps", "tz", "domain"].contains(name)
    }

    /// The settings that begin so, in alphabetical order.
    func names(with prefix: String) -> [String] { environment.names.filter { $0.hasPrefix(prefix) }.sorted() }

    /// `accepted` says in words what `parse` takes. The value itself is not repeated: it may be a misplaced secret.
    mutating func read<Value>(
        _ name: String,
        default value: Value,
        accepted: String,
        _ parse: (String) -> Value?
    ) -> Value {
        asked.add(name, default: String(describing: value))
        guard let text = environment[name] else { return value }
        guard let parsed = parse(text) else {
            faults.append("\(name) must be \(accepted)")
            return value
        }
        return parsed
    }

    mutating func integer(_ name: String, default value: Int, in range: ClosedRange<Int>) -> Int {
        read(name, default: value, accepted: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// nil where nothing is set.
    mutating func limit(_ name: String, in range: ClosedRange<Int>) -> Int? {
        text(name) == nil ? nil : integer(name, default: range.upperBound, in: range)
    }

    /// `30`, `30s`, `500ms`, `2m`; a bare number is in seconds.
    mutating func duration(_ name: String, default value: Duration) -> Duration {
        read(name, default: value, accepted: "a time above 0, up to one hour: 30, 30s, 500ms or 2m", Setting.duration)
    }

    mutating func choice<Value>(_ name: String, default value: Value, _ choices: KeyValuePairs<String, Value>) -> Value
    {
        let words = choices.map(\.key).joined(separator: ", ")
        return read(name, default: value, accepted: "one of \(words)") { text in
            choices.first { $0.key == text.lowercased() }?.value
        }
    }

    mutating func flag(_ name: String, default value: Bool) -> Bool {
        choice(name, default: value, ["on": true, "off": false, "true": true, "false": false, "1": true, "0": false])
    }

    /// The items of a list that is separated by commas or spaces.
    func list(_ name: String) -> [String] {
        asked.add(name)
        return Self.items(environment[name] ?? "")
    }

    /// Reads the settings of apps.
    mutating func values(of settings: [Setting]) -> ContextValues {
        var values = ContextValues()
        for setting in settings {
            guard let text = text(setting.name) else { continue }
            if !setting.read(text, into: &values) { faults.append("\(setting.name) must be \(setting.accepted)") }
        }
        return values
    }

    static func items(_ text: String) -> [String] { text.split { $0 == "," || $0.isWhitespace }.map(String.init) }
}

extension SettingsReader {
    /// One setting, for people to look at.
    struct Summary: Sendable {
        let name: String
        /// What it is, or `•••` for what may be a secret; nil where nothing is set.
        let value: String?
        /// What counts while nothing is set, where that is a plain word or number.
        let standard: String?
    }

    /// In alphabetical order. `more` are settings that were not asked for here.
    func summary(more: [String: String?]) -> [Summary] {
        var names = asked.names
        for name in more.keys where names[name] == nil { names[name] = .some(nil) }
        return names.sorted { $0.key < $1.key }.map { name, standard in
            let text = environment[name] ?? more[name].flatMap(\.self)
            return Summary(name: name, value: text.map { Self.masked($0, of: name) }, standard: standard)
        }
    }

    /// The value, unless its name or its form says that it may be a secret.
    static func masked(_ value: String, of name: String) -> String {
        let isSecret = ["secret", "key", "pass", "token", "jwks", "issuers", "credential", "webhook"]
            .contains { name.lowercased().contains($0) }
        if isSecret { return "•••" }
        guard let scheme = value.firstRange(of: "://") else {
            return name.hasSuffix("_URL") && value.contains("password") ? "•••" : value
        }
        // Parameters may have passwords, a user name and a password are before the last @ of an address.
        let query = value[scheme.upperBound...].firstIndex(of: "?")
        let address = value[..<(query ?? value.endIndex)]
        let parameters = query == nil ? "" : "?•••"
        guard let sign = address.lastIndex(of: "@"), scheme.upperBound < sign else { return address + parameters }
        return address[..<scheme.upperBound] + "•••" + address[sign...] + parameters
    }
}

/// The names that were asked for, with what counts where nothing is set.
private final class AskedNames: Sendable {
    private let all = Mutex<[String: String?]>([:])

    var names: [String: String?] { all.withLock(\.self) }

    /// Values of other kinds than numbers and words are left out.
    func add(_ name: String, default value: String? = nil) {
        let plain = value.flatMap { text in
            text.count <= 40 && text != "nil" && !text.contains("(") && text != "[]" ? text : nil
        }
        all.withLock { all in
            let known = all[name].flatMap(\.self)
            all.updateValue(plain ?? known, forKey: name)
        }
    }
}
