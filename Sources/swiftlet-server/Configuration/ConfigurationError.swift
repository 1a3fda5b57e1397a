/// The faults of a configuration, one line each. No line contains a secret.
struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    let faults: [String]

    init(_ faults: [String]) { self.faults = faults }

    var description: String { faults.joined(separator: "\n") }
}
