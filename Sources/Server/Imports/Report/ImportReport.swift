/// What an import carries over, what it does not, and what has to be done first.
package struct ImportReport: Equatable, Sendable {
    /// "12 tables, 34567 rows".
    package internal(set) var carried: [String] = []
    package internal(set) var omitted: [Omission] = []
    /// Without a remedy of these, nothing is imported.
    package internal(set) var obstacles: [String] = []

    /// Something that stays behind.
    package struct Omission: Equatable, Sendable {
        package let what: String
        /// Why, and what to do.
        package let reason: String
    }

    mutating func omit(_ what: String, _ reason: String) {
        let omission = Omission(what: what, reason: reason)
        if !omitted.contains(omission) { omitted.append(omission) }
    }

    /// For the terminal.
    package var lines: [String] {
        var lines = carried.map { "carried: \($0)" }
        lines += omitted.map { "NOT carried: \($0.what): \($0.reason)" }
        lines += obstacles.map { "FIRST: \($0)" }
        return lines
    }
}
