import SwiftletCLibpq

extension PostgresError {
    /// What the server, or libpq in its place, reports about a failed statement.
    init(reading result: OpaquePointer) {
        let fields = unsafe Fields(
            message: ErrorField.message.text(in: result)
                ?? ErrorField.line(String(cString: PQresultErrorMessage(result))),
            detail: ErrorField.detail.text(in: result),
            hint: ErrorField.hint.text(in: result),
            column: ErrorField.column.text(in: result),
            constraint: ErrorField.constraint.text(in: result),
            table: ErrorField.table.text(in: result),
            schema: ErrorField.schema.text(in: result),
            routine: ErrorField.routine.text(in: result),
            isWithinFunction: ErrorField.context.text(in: result) != nil
        )
        let state = unsafe ErrorField.state.text(in: result).map { SQLState(rawValue: $0) }
        self.init(kind: .server, state: state ?? .connectionFailure, fields: fields)
    }
}
