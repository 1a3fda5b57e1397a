/// The answers to two statements that were sent together.
package struct RowsPair: ~Copyable, Sendable {
    package let first: Rows
    package let second: Rows

    init(_ boxes: [RowsBox]) throws(PostgresError) {
        let first = try boxes[0].rows()
        let second = try boxes[1].rows()
        self.first = first
        self.second = second
    }
}
