/// The answers to the statements of one group, in their order.
package struct RowsGroup: ~Copyable, Sendable {
    private let first: Rows
    private let rest: [Part]
    package var count: Int { rest.count + 1 }

    init(first: consuming Rows, rest: [Part]) {
        self.first = first
        self.rest = rest
    }

    package subscript(_ index: Int) -> Rows {
        _read {
            if index == 0 { yield first } else { yield rest[index - 1].rows }
        }
    }

    /// An array cannot hold what cannot be copied; a reference can.
    final class Part: Sendable {
        let rows: Rows

        init(_ rows: consuming Rows) { self.rows = rows }
    }
}
