/// Why a group of statements has had no effect, and which of them failed.
package struct StatementGroupError: Error {
    package let error: PostgresError
    /// nil where no statement is to blame: the connection broke, or the deadline passed.
    package let index: Int?

    package init(error: PostgresError, index: Int?) {
        self.error = error
        self.index = index
    }
}
