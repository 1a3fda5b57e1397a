/// What a redis says.
package enum RESPValue: Hashable, Sendable {
    /// A line that is neither a fault nor a whole number.
    case line(String)
    case fault(String)
    case integer(Int)
    case bytes([UInt8])
    case null
    /// Lists and sets, and the keys and values of a map in turn.
    case list([RESPValue])
    /// What is no answer to a command.
    case push([RESPValue])
}

/// Why what a redis says cannot be read. Nothing behind it can be either.
package enum RESPError: Error, Hashable, Sendable {
    /// It is none of the protocol.
    case invalid
    /// It is longer, has more items or is nested deeper than ``RESPReader`` takes.
    case tooLarge
}
