/// When a recurring job runs, in whole seconds since 1970.
struct Recurrence: Equatable, Sendable {
    private static let day = 86_400

    /// Seconds between two ticks.
    let interval: Int
    /// Seconds after a multiple of the interval.
    let offset: Int

    static func every(_ interval: Duration) -> Recurrence {
        Recurrence(interval: Int(clamping: interval.components.seconds), offset: 0)
    }

    private init(interval: Int, offset: Int) {
        self.interval = interval
        self.offset = offset
    }

    /// Every day at `HH:MM`. Anything else makes a recurrence that has a ``fault``.
    init(timeOfDay: String) {
        let parts = timeOfDay.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else {
            self.init(interval: 0, offset: 0)
            return
        }
        self.init(interval: Self.day, offset: hour * 3600 + minute * 60)
    }

    /// Why there are no such ticks; nil if there are.
    var fault: String? {
        interval >= 1 && interval <= 366 * Self.day
            ? nil : "it needs a time of day such as 03:30, or an interval from one second to a year"
    }

    /// The first tick after this time.
    func next(after seconds: Double) -> Int {
        let now = Int(seconds.rounded(.down))
        let (ticks, rest) = (now - offset).quotientAndRemainder(dividingBy: interval)
        return ((rest < 0 ? ticks - 1 : ticks) + 1) * interval + offset
    }
}

extension Recurrence: CustomStringConvertible {
    /// As it is kept in the database, to notice that it has changed.
    var description: String { "\(interval)+\(offset)" }
}
