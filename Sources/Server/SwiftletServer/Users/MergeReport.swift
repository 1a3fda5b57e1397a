/// What the merging of two accounts moves, and what it cannot move.
struct MergeReport {
    private(set) var moved: [(what: String, count: Int)] = []
    /// Rows that a unique key keeps from moving.
    var conflicts: [(reference: AccountReference, count: Int)] = []
    var notes: [String] = []

    /// Notes a count; nothing for none.
    mutating func add(_ what: String, _ count: Int) {
        if count > 0 { moved.append((what, count)) }
    }

    mutating func add(_ what: String, _ rows: [[String?]]) {
        add(what, rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0)
    }

    var lines: [String] {
        moved.map { "\($0.what): \($0.count) move" } + notes
            + conflicts.map { conflict in
                "\(conflict.reference.table).\(conflict.reference.column): \(conflict.count) cannot move, for a unique "
                    + "key, and \(conflict.reference.ending.words)"
            }
    }
}
