import SwiftletCLibpq

/// Keeps what the server says when it closes an idle connection, such as at its
/// shutdown or after `idle_session_timeout`.
///
/// libpq treats that as a notice, because it answers nothing, and then only knows that the connection has ended.
@safe final class NoticeReceiver {
    private(set) var error: PostgresError?

    /// Takes the connection's notices, which libpq would otherwise write to the standard error output.
    /// To be kept for as long as the connection.
    init(of connection: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe PQsetNoticeReceiver(
            connection,
            { context, notice in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().note(notice)
            },
            context
        )
    }

    /// Keeps the report if it is one that ends the connection.
    func note(_ report: OpaquePointer?) {
        guard let report = unsafe report, unsafe ErrorField.isFatal(report) else { return }
        error = unsafe PostgresError(reading: report)
    }
}
