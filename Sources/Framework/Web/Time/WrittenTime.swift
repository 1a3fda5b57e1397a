import SwiftletBytes

/// A day or a time as a client has written it, see ``TimestampText``.
package struct WrittenTime: Sendable {
    /// Days since 1970-01-01.
    private let day: Int
    /// Microseconds since midnight; nil for a day alone.
    private let time: Int?
    /// Seconds east of UTC; nil if the client has named none.
    private let offset: Int?

    /// nil for what ``TimestampText/isTimestamp(_:)`` does not take.
    package init?(_ text: String) {
        guard TimestampText.isTimestamp(text), let parts = TimestampText.parts(of: text) else { return nil }
        (day, time, offset) = parts
    }

    /// Its first moment, as PostgreSQL reads it. A day begins at midnight in `zone`, where also a time is without an
    /// offset.
    package func start(in zone: TimeZoneName) -> String {
        let microseconds = (time ?? 0) % 1_000_000
        guard let text = Stamp(secondsSince1970: seconds(in: zone))?.text else { return "-infinity" }
        guard microseconds > 0 else { return text }
        return text.dropLast() + "." + String(1_000_000 + microseconds).dropFirst() + "Z"
    }

    /// The first moment behind it, as PostgreSQL reads it: the next midnight for a day, else the next second, as times
    /// are shown without their fractions.
    package func end(in zone: TimeZoneName) -> String {
        let seconds = time == nil ? zone.instant(day: day + 1, second: 0) : seconds(in: zone) + 1
        return Stamp(secondsSince1970: seconds)?.text ?? "infinity"
    }

    private func seconds(in zone: TimeZoneName) -> Int {
        let second = (time ?? 0) / 1_000_000
        return offset.map { day * 86_400 + second - $0 } ?? zone.instant(day: day, second: second)
    }
}
