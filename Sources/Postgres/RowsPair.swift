/// The answers to two statements that were sent together.
package struct RowsPair: ~Copyable, Sendable {
    package let first: Rows
    package let second: Rows
}
