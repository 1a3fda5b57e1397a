import SwiftletEssentials

/// Which backups stay: the last one of each of the last days, weeks and months that have any, and the newest in any case.
package struct Retention: Equatable, Sendable, CustomStringConvertible {
    package var days = 0
    package var weeks = 0
    package var months = 0

    /// A week, a month and half a year.
    package static let standard = Retention(days: 7, weeks: 4, months: 6)

    package init(days: Int, weeks: Int, months: Int) {
        self.days = days
        self.weeks = weeks
        self.months = months
    }

    /// `7d,4w,6m`, or some of it; nil for anything else.
    package init?(_ text: String) {
        var units: Set<Character> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let unit = part.last, units.insert(unit).inserted, let number = Int(part.dropLast()),
                (0...10_000).contains(number)
            else { return nil }
            switch unit {
            case "d": days = number
            case "w": weeks = number
            case "m": months = number
            default: return nil
            }
        }
    }

    package var description: String { "\(days)d,\(weeks)w,\(months)m" }

    /// Days are those of UTC, weeks begin on Monday.
    func kept(of ids: [SnapshotID]) -> Set<SnapshotID> {
        let newestFirst = ids.sorted().reversed()
        var kept = Set(newestFirst.prefix(1))
        let periods: [(Int, (SnapshotID) -> String)] = [
            (days, { String($0.text.prefix(8)) }),
            // 1970 began on a Thursday.
            (weeks, { String((Int($0.began.timeIntervalSince1970) / 86_400 + 3) / 7) }),
            (months, { String($0.text.prefix(6)) }),
        ]
        for (count, period) in periods {
            var seen: Set<String> = []
            for id in newestFirst where seen.count < count && seen.insert(period(id)).inserted { kept.insert(id) }
        }
        return kept
    }
}
