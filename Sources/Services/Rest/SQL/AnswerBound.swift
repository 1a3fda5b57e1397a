/// How much of an answer is made as a whole. A larger one is read by a cursor while it is sent, see ``RowStream``.
enum AnswerBound {
    /// So much work is done in vain for a larger answer.
    static let rows = 20_000
    /// So much of it is in memory at once, some copies aside.
    static let bytes = 2 << 20
}
