/// A time zone by its name in the IANA database, such as `Europe/Berlin`, or `UTC`. Neither abbreviations (`CEST`) nor
/// offsets (`+02:00`): these know nothing of summer time.
public struct TimeZoneName: Hashable, Sendable {
    public let rawValue: String
    private let rules: ZoneRules

    public static let utc = TimeZoneName(rawValue: "UTC", rules: .utc)

    private init(rawValue: String, rules: ZoneRules) {
        self.rawValue = rawValue
        self.rules = rules
    }

    /// nil for what is no such name. A machine without the database (tzdata) knows none but UTC.
    public init?(_ name: String) {
        self.init(name, in: .system)
    }

    init?(_ name: String, in database: ZoneDatabase) {
        if ["UTC", "Etc/UTC", "GMT"].contains(name) {
            self = .utc
        } else {
            guard name.contains("/"), let rules = database.rules(of: name) else { return nil }
            self.init(rawValue: name, rules: rules)
        }
    }

    public static func == (one: TimeZoneName, other: TimeZoneName) -> Bool { one.rawValue == other.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Seconds east of UTC at a time, in seconds since 1970.
    package func offset(at seconds: Int) -> Int { rules.offset(at: seconds) }

    /// The days since 1970 that clocks there show at a time.
    package func day(at seconds: Int) -> Int {
        let local = seconds + offset(at: seconds)
        return local >= 0 ? local / 86_400 : (local + 1) / 86_400 - 1
    }

    /// When clocks there show a time of a day, in seconds since 1970: the first moment of two. One that is left out when
    /// summer time begins is as much later as the clocks are put forward.
    package func instant(day: Int, second: Int) -> Int {
        let local = day * 86_400 + second
        let before = offset(at: local - 86_400)
        let after = offset(at: local + 86_400)
        for offset in [before, after] where self.offset(at: local - offset) == offset { return local - offset }
        return local - before
    }
}

extension Query {
    /// The time zone in `?tz=Europe/Berlin`; UTC without one. Throws ``APIError`` 400 for what is none, and 501 on a
    /// machine that has none.
    public func timeZone(_ name: String = "tz") throws(APIError) -> TimeZoneName {
        guard let text = self[name], !text.isEmpty else { return .utc }
        if let zone = TimeZoneName(text) { return zone }
        if let absence = ZoneDatabase.system.absence { throw APIError(.notImplemented, "NO_TIME_ZONES", absence) }
        throw .validation([name: "must be a time zone such as Europe/Berlin"])
    }
}
