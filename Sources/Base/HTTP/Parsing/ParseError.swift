/// Why a message is refused. The connection must close after the response: where the next request starts is unknown.
package struct ParseError: Error, Equatable, Sendable {
    package let status: Status
    /// A fixed text, safe for clients and logs: it repeats nothing of the message.
    package let reason: String

    init(_ status: Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

extension ParseError: CustomStringConvertible {
    package var description: String { "ParseError(\(status.rawValue): \(reason))" }
}
