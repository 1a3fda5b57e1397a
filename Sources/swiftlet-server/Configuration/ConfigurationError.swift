/// All that is wrong with a configuration, one line per fault; no line holds a secret.
struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    let faults: [String]

    init(_ faults: [String]) { self.faults = faults }

    var description: String { faults.joined(separator: "\n") }
}
