/// The faults of a configuration, one line each. No line contains a secret.
struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    let faults: [String]

    init(_ faults: [String]) { self.faults = faults }

    /// Restarting would not help against this error.
    init(_ error: some Error) { faults = [String(describing: error)] }

    var description: String { faults.joined(separator: "\n") }
}
