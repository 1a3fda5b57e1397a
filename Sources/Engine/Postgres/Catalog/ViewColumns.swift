/// Which column of which relation each column of a view shows, read from the view's parsed query.
///
/// PostgreSQL notes it for every item of a query (`resorigtbl`, `resorigcol` in `nodes/primnodes.h`), through joins and
/// subqueries, but for a view on a view only one step.
enum ViewColumns {
    struct Origin: Hashable {
        let relation: String
        let column: Int
    }

    /// By the number of the view's column.
    static func origins(inQuery tree: String) -> [Int: Origin] {
        var origins: [Int: Origin] = [:]
        let bytes = Array(tree.utf8)
        var depth = 0
        var index = 0
        var start: Int?
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "{"):
                depth += 1
                // The query itself is at depth 1, its items at depth 2.
                if depth == 2, bytes[index...].starts(with: "{TARGETENTRY".utf8) { start = index }
            case UInt8(ascii: "}"):
                if depth == 2, let first = start {
                    note(bytes[first...index], &origins)
                    start = nil
                }
                depth -= 1
            default: break
            }
            index += 1
        }
        return origins
    }

    private static func note(_ item: ArraySlice<UInt8>, _ origins: inout [Int: Origin]) {
        // The last ones belong to the item itself, those before to expressions within it.
        let words = String(decoding: item.dropLast(), as: UTF8.self).split(separator: " ")
        func value(_ name: String) -> Int? {
            words.lastIndex { $0 == name }.flatMap { $0 + 1 < words.count ? Int(words[$0 + 1]) : nil }
        }
        guard let number = value(":resno"), let relation = value(":resorigtbl"), let column = value(":resorigcol"),
            relation > 0, column > 0, words.last == "false"
        else { return }
        origins[number] = Origin(relation: "\(relation)", column: column)
    }
}
