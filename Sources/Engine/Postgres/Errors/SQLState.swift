/// A five-character error code of PostgreSQL (Appendix A of its manual).
///
/// An open set: codes without a name here arrive unchanged. ``errorClass`` is what most callers want.
public struct SQLState: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The first two characters, such as `22` for bad data or `08` for the connection.
    public var errorClass: Substring { rawValue.prefix(2) }

    public static let connectionFailure = SQLState(rawValue: "08006")
    public static let transactionResolutionUnknown = SQLState(rawValue: "08007")
    public static let protocolViolation = SQLState(rawValue: "08P01")
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    public static let stringDataRightTruncation = SQLState(rawValue: "22001")
    public static let numericValueOutOfRange = SQLState(rawValue: "22003")
    public static let invalidDatetimeFormat = SQLState(rawValue: "22007")
    public static let datetimeFieldOverflow = SQLState(rawValue: "22008")
    public static let divisionByZero = SQLState(rawValue: "22012")
    public static let characterNotInRepertoire = SQLState(rawValue: "22021")
    public static let invalidParameterValue = SQLState(rawValue: "22023")
    public static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    public static let restrictViolation = SQLState(rawValue: "23001")
    public static let notNullViolation = SQLState(rawValue: "23502")
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    public static let uniqueViolation = SQLState(rawValue: "23505")
    public static let checkViolation = SQLState(rawValue: "23514")
    public static let exclusionViolation = SQLState(rawValue: "23P01")
    public static let inFailedTransaction = SQLState(rawValue: "25P02")
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
    public static let invalidStatementName = SQLState(rawValue: "26000")
    public static let invalidPassword = SQLState(rawValue: "28P01")
    public static let serializationFailure = SQLState(rawValue: "40001")
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    public static let insufficientPrivilege = SQLState(rawValue: "42501")
    public static let syntaxError = SQLState(rawValue: "42601")
    public static let undefinedColumn = SQLState(rawValue: "42703")
    public static let undefinedObject = SQLState(rawValue: "42704")
    public static let datatypeMismatch = SQLState(rawValue: "42804")
    public static let undefinedFunction = SQLState(rawValue: "42883")
    public static let undefinedTable = SQLState(rawValue: "42P01")
    public static let duplicatePreparedStatement = SQLState(rawValue: "42P05")
    public static let tooManyConnections = SQLState(rawValue: "53300")
    public static let programLimitExceeded = SQLState(rawValue: "54000")
    public static let tooManyArguments = SQLState(rawValue: "54023")
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    public static let queryCancelled = SQLState(rawValue: "57014")
    public static let adminShutdown = SQLState(rawValue: "57P01")
    public static let crashShutdown = SQLState(rawValue: "57P02")
    public static let cannotConnectNow = SQLState(rawValue: "57P03")
}
