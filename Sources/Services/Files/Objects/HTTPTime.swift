/// Reads the times of conditional requests.
enum HTTPTime {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else, also the two forms that are obsolete
    /// (RFC 9110 §5.6.7).
    static func read(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").map { Int($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        // Days since 0000-03-01 in years that begin with March, so that the leap day is the last one.
        let shifted = (month + 10) % 12
        let marchYear = month < 2 ? year - 1 : year
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        let days = 365 * marchYear + leapDays + (153 * shifted + 2) / 5 + day - 1
        let epoch = 719_468
        return (days - epoch) * 86400 + hour * 3600 + minute * 60 + second
    }
}
