/// The answers to two statements that were sent together.
package struct RowsPair: ~Copyable, Sendable {
    package let first: Rows
    package let second: Rows

    package init(_ boxes: [RowsBox]) throws(PostgresError) {
        let first = try boxes[0].take()
        let second = try boxes[1].take()
        self.first = first
        self.second = second
    }

    /// Keeps the first answer and frees the second.
    package consuming func takeFirst() -> Rows { first }
}
