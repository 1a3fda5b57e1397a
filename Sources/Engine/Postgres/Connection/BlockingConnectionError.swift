/// An error of a ``BlockingConnection``. Meant for the operator's terminal, so its description is complete.
package struct BlockingConnectionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The SQLSTATE. 08001: no connection could be made; 28000: the server wanted a password, and ours was missing.
    package let state: String
    package let message: String
    package let detail: String?
    /// The character in the script at which the error was found, from 1.
    package let position: Int?

    package init(state: String, message: String, detail: String? = nil, position: Int? = nil) {
        self.state = state
        self.message = message
        self.detail = detail
        self.position = position
    }

    static let nulInText = BlockingConnectionError(state: "22021", message: "the text contains a NUL character")

    /// No connection, or the server is starting or stopping: trying again may help.
    package var isOutage: Bool { state.hasPrefix("08") || state.hasPrefix("57P0") }

    /// The server runs and refuses us: the database, the user, the password or the right to connect is missing.
    package var isRefusal: Bool { state.hasPrefix("28") || ["3D000", "42501"].contains(state) }

    package var description: String {
        "\(message)\(detail.map { " (\($0))" } ?? "") [\(state)]"
    }
}
