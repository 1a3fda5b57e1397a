/// Why a query has no result.
///
/// `description` names only the code and may reach a log or a client; what the server wrote, which can quote values,
/// is in named properties.
public struct PostgresError: Error, Sendable {
    /// Who failed, and with it what the caller may do next.
    ///
    /// An open set: a `switch` over it needs a `default`, so that further kinds break no caller.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case server, connectionFailure, connectionLostAfterSending, timeout
            case overloaded, cancelled, invalidParameters, decoding
        }

        private let name: Name

        /// The server answered with an error; ``PostgresError/state`` says which.
        public static var server: Kind { Kind(name: .server) }
        /// There is no connection, and nothing was sent: trying again is safe.
        public static var connectionFailure: Kind { Kind(name: .connectionFailure) }
        /// The connection broke after the statement was sent: a write may or may not have happened.
        public static var connectionLostAfterSending: Kind { Kind(name: .connectionLostAfterSending) }
        /// No answer within the query's deadline. A write may or may not have happened.
        public static var timeout: Kind { Kind(name: .timeout) }
        /// Too many queries wait already, or this one waited too long for a connection; nothing was sent.
        public static var overloaded: Kind { Kind(name: .overloaded) }
        /// The caller's task was cancelled.
        public static var cancelled: Kind { Kind(name: .cancelled) }
        /// The parameters cannot be sent (a NUL byte, too many of them); nothing was sent.
        public static var invalidParameters: Kind { Kind(name: .invalidParameters) }
        /// The result does not have the shape that the caller asked for.
        public static var decoding: Kind { Kind(name: .decoding) }

        public var description: String { name.rawValue }
    }

    public let kind: Kind
    public let state: SQLState
    private let fields: Fields?

    /// The server's one-line text, or ours when the server was not reached.
    public var message: String { fields?.message ?? "" }
    public var detail: String? { fields?.detail }
    public var hint: String? { fields?.hint }
    public var column: String? { fields?.column }
    public var constraint: String? { fields?.constraint }
    public var table: String? { fields?.table }
    /// Of ``table``.
    public var schema: String? { fields?.schema }

    var routine: String? { fields?.routine }
    /// It happened within a function or trigger, not in the statement itself.
    package var isWithinFunction: Bool { fields?.isWithinFunction ?? false }
    /// Whether it is ``waitedTooLong``.
    package var hasWaited: Bool { kind == .overloaded && state == Self.waitedTooLong.state }
    /// The statement was prepared when its result had columns of other types.
    package var isResultChanged: Bool { state == .featureNotSupported && routine == "RevalidateCachedQuery" }
    /// A user's function or trigger raised it, with a text that may contain anything.
    package var isRaised: Bool { routine == "exec_stmt_raise" }

    package init(kind: Kind, state: SQLState, message: String) {
        self.init(kind: kind, state: state, fields: Fields(message: message))
    }

    /// Without a connection, for this reason.
    static func connectionFailure(_ reason: String) -> PostgresError {
        PostgresError(kind: .connectionFailure, state: .connectionFailure, message: reason)
    }

    init(kind: Kind, state: SQLState, fields: Fields?) {
        self.kind = kind
        self.state = state
        self.fields = fields
    }
}

extension PostgresError {
    /// Texts of one error; a reference, so that the error itself stays small in every return slot.
    final class Fields: Sendable {
        let message: String
        let detail: String?
        let hint: String?
        let column: String?
        let constraint: String?
        let table: String?
        let schema: String?
        /// The function of the server's source that reported it: unlike the message, the same in every language.
        let routine: String?
        let isWithinFunction: Bool

        init(
            message: String,
            detail: String? = nil,
            hint: String? = nil,
            column: String? = nil,
            constraint: String? = nil,
            table: String? = nil,
            schema: String? = nil,
            routine: String? = nil,
            isWithinFunction: Bool = false
        ) {
            self.message = message
            self.detail = detail
            self.hint = hint
            self.column = column
            self.constraint = constraint
            self.table = table
            self.schema = schema
            self.routine = routine
            self.isWithinFunction = isWithinFunction
        }
    }

    package static let connectionFailure = connectionFailure("the database cannot be reached")
    package static let connectionLostAfterSending = PostgresError(
        kind: .connectionLostAfterSending,
        state: .transactionResolutionUnknown,
        message: "the connection broke before the answer came"
    )
    package static let timeout = PostgresError(
        kind: .timeout,
        state: .queryCancelled,
        message: "no answer within the deadline"
    )
    package static let overloaded = PostgresError(
        kind: .overloaded,
        state: .tooManyConnections,
        message: "too many queries are waiting for a connection"
    )
    /// Overloaded as well, found out at the end of the wait for a connection.
    package static let waitedTooLong = PostgresError(
        kind: .overloaded,
        state: .queryCancelled,
        message: "no connection was free in time"
    )
    package static let cancelled = PostgresError(
        kind: .cancelled,
        state: .queryCancelled,
        message: "the caller was cancelled"
    )
    static let nulInParameter = PostgresError(
        kind: .invalidParameters,
        state: .characterNotInRepertoire,
        message: "a text parameter contains a NUL byte"
    )
    static let tooManyParameters = PostgresError(
        kind: .invalidParameters,
        state: .tooManyArguments,
        message: "a statement takes at most 65535 parameters"
    )
    static let abortedTwice = PostgresError(
        kind: .server,
        state: .inFailedTransaction,
        message: "the transaction has failed"
    )
    static let oversizedParameters = PostgresError(
        kind: .invalidParameters,
        state: .programLimitExceeded,
        message: "the parameters are larger than a message may be"
    )
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "PostgresError(\(state.rawValue))" }

    public var debugDescription: String {
        let named = [("column", column), ("constraint", constraint), ("table", table), ("detail", detail)]
        let known = named.compactMap { name, value in value.map { " \(name)=\($0)" } }
        return "PostgresError(\(kind), \(state.rawValue): \(message)\(known.joined()))"
    }
}
