package import Postgres

/// Where letters wait until a ``Mailer`` sends them, on whichever server. A letter is stored by the transaction that
/// makes its token, so that neither is there without the other.
package struct LetterQueue: Sendable {
    /// The statement that stores a letter.
    let insertion: @Sendable (QueuedLetter) throws -> SQL
    /// Called after the commit.
    let announce: @Sendable () -> Void

    package init(
        insertion: @escaping @Sendable (QueuedLetter) throws -> SQL,
        announce: @escaping @Sendable () -> Void
    ) {
        self.insertion = insertion
        self.announce = announce
    }
}
