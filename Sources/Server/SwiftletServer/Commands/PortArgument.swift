import ArgumentParser

/// The value of `--port`; 0 lets the system choose.
struct PortArgument: ExpressibleByArgument {
    let number: UInt16

    init?(argument: String) {
        guard let number = UInt16(argument) else { return nil }
        self.number = number
    }

    /// The value for the setting `PORT`.
    var text: String { String(number) }
}
