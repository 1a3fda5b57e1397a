/// Reads settings and collects their faults, so that an operator sees all of them at once.
struct SettingsReader {
    private let environment: Environment
    private var faults: [String] = []

    init(_ environment: Environment) { self.environment = environment }

    mutating func refuse(_ fault: String) { faults.append(fault) }

    /// Throws all faults.
    func finish() throws(ConfigurationError) {
        guard faults.isEmpty else { throw ConfigurationError(faults) }
    }

    func text(_ name: String) -> String? { environment[name] }

    /// `accepted` says in words what `parse` takes. The value itself is not repeated: it may be a misplaced secret.
    mutating func read<Value>(
        _ name: String,
        default value: Value,
        accepted: String,
        _ parse: (String) -> Value?
    ) -> Value {
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

    /// `30`, `30s`, `500ms`, `2m`; a bare number is in seconds.
    mutating func duration(_ name: String, default value: Duration) -> Duration {
        read(name, default: value, accepted: "a time above 0, up to one hour: 30, 30s, 500ms or 2m", Self.duration)
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
        Self.items(environment[name] ?? "")
    }

    static func items(_ text: String) -> [String] { text.split { $0 == "," || $0.isWhitespace }.map(String.init) }

    private static func duration(_ text: String) -> Duration? {
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
