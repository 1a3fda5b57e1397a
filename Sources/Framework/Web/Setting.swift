/// A setting of an app: an environment variable that fills a ``ContextKey``.
///
///     Setting("POLL_SECONDS", PollInterval.self, accepted: "a number of seconds") { Int($0) }
///
/// A server does not start with a text that is not accepted; it says which setting is at fault.
public struct Setting: Sendable {
    /// The environment variable.
    public let name: String
    /// What is accepted, in words that follow "must be".
    public let accepted: String
    private let parse: @Sendable (String, inout ContextValues) -> Bool

    /// `parse` returns nil for a text that is not accepted.
    public init<Key: ContextKey>(
        _ name: String,
        _ key: Key.Type,
        accepted: String,
        parse: @escaping @Sendable (String) -> Key.Value?
    ) {
        self.name = name
        self.accepted = accepted
        self.parse = { text, values in
            guard let value = parse(text) else { return false }
            values[key] = value
            return true
        }
    }

    /// One of several words.
    public init<Key: ContextKey>(_ name: String, _ key: Key.Type, _ choices: KeyValuePairs<String, Key.Value>) {
        // A dictionary of pairs cannot be sent.
        let values = choices.map { ($0.key, $0.value) }
        let words = values.map(\.0).joined(separator: ", ")
        self.init(name, key, accepted: "one of \(words)") { text in values.first { $0.0 == text.lowercased() }?.1 }
    }

    /// A time above zero, up to one hour: `30`, `30s`, `500ms`, `2m`; a bare number is in seconds.
    public init<Key: ContextKey>(duration name: String, _ key: Key.Type) where Key.Value == Duration {
        self.init(name, key, accepted: "a time above 0, up to one hour: 30, 30s, 500ms or 2m", parse: Self.duration)
    }

    /// Sets the key's value. Returns false for a text that is not accepted.
    package func read(_ text: String, into values: inout ContextValues) -> Bool { parse(text, &values) }

    package static func duration(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number > 0, number <= 3_600_000 else { return nil }
        let duration: Duration
        switch text.dropFirst(digits.count) {
        case "", "s": duration = .seconds(number)
        case "ms": duration = .milliseconds(number)
        case "m": duration = .seconds(number * 60)
        default: return nil
        }
        return duration <= .seconds(3600) ? duration : nil
    }
}
