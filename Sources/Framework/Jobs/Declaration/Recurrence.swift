import SwiftletWeb

/// When a recurring job runs, in whole seconds since 1970.
struct Recurrence: Equatable, Sendable {
    private static let day = 86_400

    /// Seconds between two ticks.
    let interval: Int
    /// Seconds after a multiple of the interval.
    let offset: Int
    /// Whose clocks show the time of day; nil where the interval counts alone.
    private let zone: TimeZoneName?
    /// The name of a zone that there is not.
    private var unknownZone: String?

    static func every(_ interval: Duration) -> Recurrence {
        Recurrence(interval: Int(clamping: interval.components.seconds), offset: 0)
    }

    private init(interval: Int, offset: Int, zone: TimeZoneName? = nil) {
        self.interval = interval
        self.offset = offset
        self.zone = zone
    }

    /// Every day at `HH:MM` in a zone, UTC without one. Anything else makes a recurrence that has a ``fault``.
    init(timeOfDay: String, in zoneName: String? = nil) {
        let parts = timeOfDay.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else {
            self.init(interval: 0, offset: 0)
            return
        }
        let zone = zoneName.flatMap(TimeZoneName.init)
        self.init(interval: Self.day, offset: hour * 3600 + minute * 60, zone: zone == .utc ? nil : zone)
        if zone == nil { unknownZone = zoneName }
    }

    /// Why there are no such ticks; nil if there are.
    var fault: String? {
        if let unknownZone {
            return ZoneDatabase.system.absence ?? "it needs a time zone such as Europe/Berlin, not \(unknownZone)"
        }
        return interval >= 1 && interval <= 366 * Self.day
            ? nil : "it needs a time of day such as 03:30, or an interval from one second to a year"
    }

    /// The first tick after this time.
    func next(after seconds: Double) -> Int {
        let now = Int(seconds.rounded(.down))
        guard let zone else { return last(notAfter: seconds) + interval }
        let today = zone.day(at: now)
        // Midnight itself may be left out or come twice.
        let ticks = (today - 1...today + 2).map { zone.instant(day: $0, second: offset) }
        return ticks.first { $0 > now } ?? now + interval
    }

    /// The last tick that is not after this time.
    func last(notAfter seconds: Double) -> Int {
        let now = Int(seconds.rounded(.down))
        if let zone {
            let today = zone.day(at: now)
            let ticks = (today - 2...today + 1).map { zone.instant(day: $0, second: offset) }
            return ticks.last { $0 <= now } ?? now - interval
        }
        let (ticks, rest) = (now - offset).quotientAndRemainder(dividingBy: interval)
        return (rest < 0 ? ticks - 1 : ticks) * interval + offset
    }
}

extension Recurrence: CustomStringConvertible {
    /// As it is kept in the database, to notice that it has changed.
    var description: String { "\(interval)+\(offset)" + (zone.map { "@" + $0.rawValue } ?? "") }
}
