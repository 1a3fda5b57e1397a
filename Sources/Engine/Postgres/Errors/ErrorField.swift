import SwiftletCLibpq

/// A field of the server's error report, by its letter in the protocol (manual §55.8). libpq's own names for them are
/// character macros, which Swift does not import.
enum ErrorField: Character {
    /// Not translated, unlike the other one, but poolers leave it out.
    case severity = "V"
    case shownSeverity = "S"
    case state = "C"
    case message = "M"
    case detail = "D"
    case hint = "H"
    case position = "P"
    /// The same for a statement that a function runs, whose text is ``internalQuery``.
    case internalPosition = "p"
    case internalQuery = "q"
    case schema = "s"
    case table = "t"
    case column = "c"
    case constraint = "n"
    case routine = "R"
    /// Where in which functions it happened; absent for an error in the statement itself.
    case context = "W"

    /// The field's text in a failed result; nil when the report does not have it.
    func text(in result: OpaquePointer?) -> String? {
        guard let letter = rawValue.asciiValue, let text = unsafe PQresultErrorField(result, CInt(letter)) else {
            return nil
        }
        return unsafe String(cString: text)
    }

    /// Whether the reported error ends the connection.
    static func isFatal(_ report: OpaquePointer) -> Bool {
        let text = unsafe severity.text(in: report) ?? shownSeverity.text(in: report)
        return text == "FATAL" || text == "PANIC"
    }

    /// A message of libpq, which can have several lines, on one.
    static func line(_ message: String) -> String {
        message.split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
    }
}
