import SwiftletJSON

/// The keys that a page of the log names, in the order in which they come first.
struct ChangedKeys {
    struct Changed {
        let key: JSONObject
        /// A position of the log before its first change.
        let before: ChangePosition
        /// The caller could see one of its images.
        var wasSeen: Bool
    }

    private let names: [String]
    private var numbers: [JSONObject: Int] = [:]
    private(set) var all: [Changed] = []

    init(_ table: TableFacts) { names = table.keys }

    mutating func add(_ row: JSONObject, _ position: ChangePosition, wasSeen: Bool) {
        var key = JSONObject()
        for name in names { key[name] = row[name] ?? .null }
        if let number = numbers[key] {
            all[number].wasSeen = all[number].wasSeen || wasSeen
            return
        }
        numbers[key] = all.count
        let before = ChangePosition(epoch: position.epoch, commit: position.commit, index: position.index - 1)
        all.append(Changed(key: key, before: before, wasSeen: wasSeen))
    }
}
