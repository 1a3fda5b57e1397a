import SwiftletBytes

/// The offsets of every year, as POSIX writes them in `TZ`, with the extensions of RFC 9636 §3.3.1:
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Sendable {
    private let standard: Int
    private let summer: Summer?

    private struct Summer: Sendable {
        let offset: Int
        let start: Change
        let end: Change
    }

    /// A day of each year, and the seconds after its midnight in the offset that ends then.
    private struct Change: Sendable {
        enum Day: Sendable {
            /// 1 to 365: 29 February is never counted.
            case ofCommonYear(Int)
            /// 0 to 365.
            case ofYear(Int)
            /// The fifth week is the last. Sunday is 0.
            case weekday(month: Int, week: Int, weekday: Int)
        }

        let day: Day
        let second: Int

        /// As clocks show it that go on in the offset that ends.
        func moment(in year: Int) -> Int { days(in: year) * 86_400 + second }

        private func days(in year: Int) -> Int {
            let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
            switch day {
            case .ofYear(let day): return newYear + day
            case .ofCommonYear(let day):
                let isAfterLeapDay = day >= 60 && CivilDate(year: year, month: 2, day: 29).exists
                return newYear + day - (isAfterLeapDay ? 0 : 1)
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1).daysSince1970
                let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).daysSince1970
                // 1970 began with a Thursday.
                let day = first + (weekday - (first + 4) % 7 + 14) % 7 + (week - 1) * 7
                return day < next ? day : day - 7
            }
        }
    }

    /// Seconds east of UTC at a time, in seconds since 1970.
    func offset(at seconds: Int) -> Int {
        guard let summer else { return standard }
        let local = seconds + standard
        let year = CivilDate(daysSince1970: (local - (local < 0 ? 86_399 : 0)) / 86_400).year
        let start = summer.start.moment(in: year) - standard
        let end = summer.end.moment(in: year) - summer.offset
        let isSummer = start < end ? (start..<end).contains(seconds) : !(end..<start).contains(seconds)
        return isSummer ? summer.offset : standard
    }
}

extension YearlyRule {
    /// nil for what is no such rule.
    init?(_ text: String) {
        var scanner = Scanner(rest: text[...])
        guard scanner.skipName(), let standard = scanner.time() else { return nil }
        self.standard = -standard
        if scanner.rest.isEmpty {
            summer = nil
            return
        }
        guard scanner.skipName() else { return nil }
        var offset = 3600 - standard
        if scanner.rest.first != "," {
            guard let time = scanner.time() else { return nil }
            offset = -time
        }
        guard let start = scanner.change(), let end = scanner.change(), scanner.rest.isEmpty else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    private struct Scanner {
        var rest: Substring

        mutating func skip(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }

        /// `CET` or `<+0330>`.
        mutating func skipName() -> Bool {
            if skip("<") {
                rest = rest.drop { $0 != ">" }
                return skip(">")
            }
            let count = rest.count
            rest = rest.drop { $0.isASCII && $0.isLetter }
            return rest.count <= count - 3
        }

        mutating func number(in range: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.utf8.count <= 3, let number = Int(digits), range.contains(number) else { return nil }
            rest = rest.dropFirst(digits.count)
            return number
        }

        /// `-1`, `+5:30`, `167:59:59`: seconds.
        mutating func time() -> Int? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number(in: 0...167) else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] where skip(":") {
                guard let number = number(in: 0...59) else { return nil }
                seconds += number * unit
            }
            return isNegative ? -seconds : seconds
        }

        /// `,M3.5.0/2`, `,J60`, `,59/-1`.
        mutating func change() -> Change? {
            guard skip(","), let day = day() else { return nil }
            guard skip("/") else { return Change(day: day, second: 7200) }
            return time().map { Change(day: day, second: $0) }
        }

        private mutating func day() -> Change.Day? {
            if skip("J") { return number(in: 1...365).map(Change.Day.ofCommonYear) }
            guard skip("M") else { return number(in: 0...365).map(Change.Day.ofYear) }
            guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
                let weekday = number(in: 0...6)
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday)
        }
    }
}
