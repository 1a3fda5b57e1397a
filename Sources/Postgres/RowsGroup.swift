/// The answers to the statements of one group, in their order.
package struct RowsGroup: ~Copyable, Sendable {
    private let parts: [RowsBox]
    package var count: Int { parts.count }

    init(_ parts: [RowsBox]) { self.parts = parts }

    /// Takes one statement's answer out; nil when it was taken before or there is none.
    package mutating func take(_ index: Int) -> Rows? {
        index < parts.count ? parts[index].take() : nil
    }
}
