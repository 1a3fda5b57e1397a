package import SwiftletPostgres

/// Where emails wait until a ``Mailer`` sends them, on whichever server. An email is stored by the transaction that
/// makes its token, so that neither is there without the other.
package struct EmailQueue: Sendable {
    /// The statement that stores an email.
    let insertion: @Sendable (QueuedEmail) throws -> SQL
    /// Called after the commit.
    let announce: @Sendable () -> Void

    package init(
        insertion: @escaping @Sendable (QueuedEmail) throws -> SQL,
        announce: @escaping @Sendable () -> Void
    ) {
        self.insertion = insertion
        self.announce = announce
    }
}
