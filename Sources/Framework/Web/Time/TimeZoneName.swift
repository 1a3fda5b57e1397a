import Foundation

/// A time zone by its name in the IANA database, such as `Europe/Berlin`, or `UTC`. Neither abbreviations (`CEST`) nor
/// offsets (`+02:00`): these know nothing of summer time.
public struct TimeZoneName: Hashable, Sendable {
    public let rawValue: String
    private let zone: TimeZone

    public static let utc = TimeZoneName(rawValue: "UTC", zone: .gmt)

    private init(rawValue: String, zone: TimeZone) {
        self.rawValue = rawValue
        self.zone = zone
    }

    /// nil for what is no such name.
    public init?(_ name: String) {
        if ["UTC", "Etc/UTC", "GMT"].contains(name) {
            self = .utc
        } else {
            guard name.contains("/"), name.utf8.count <= 64, let zone = TimeZone(identifier: name),
                zone.identifier == name
            else { return nil }
            self.init(rawValue: name, zone: zone)
        }
    }

    /// Seconds east of UTC at a time, in seconds since 1970.
    package func offset(at seconds: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }

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
    /// The time zone in `?tz=Europe/Berlin`; UTC without one. Throws ``APIError`` 400 for what is none.
    public func timeZone(_ name: String = "tz") throws(APIError) -> TimeZoneName {
        guard let text = self[name], !text.isEmpty else { return .utc }
        guard let zone = TimeZoneName(text) else {
            throw .validation([name: "must be a time zone such as Europe/Berlin"])
        }
        return zone
    }
}
