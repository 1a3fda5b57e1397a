/// A date of the proleptic Gregorian calendar, as used by ISO 8601 and PostgreSQL.
package struct CivilDate: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Whether the date exists; any year is valid.
    package var exists: Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        return day <= 28 || day <= daysInMonth
    }

    private var daysInMonth: Int {
        switch month {
        case 2: isLeapYear ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    // Both conversions count in eras of 400 years that begin on 1 March, so that the leap day is the last of its year.
    // Overflow is not checked: years have four digits.

    package var daysSince1970: Int {
        let marchYear = month > 2 ? year : year &- 1
        let era = (marchYear >= 0 ? marchYear : marchYear &- 399) / 400
        let yearOfEra = marchYear &- era &* 400
        let marchMonth = month > 2 ? month &- 3 : month &+ 9
        let dayOfYear = (153 &* marchMonth &+ 2) / 5 &+ day &- 1
        let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        return era &* 146_097 &+ dayOfEra &- 719_468
    }

    package init(daysSince1970 days: Int) {
        let shifted = days &+ 719_468
        let era = (shifted >= 0 ? shifted : shifted &- 146_096) / 146_097
        let dayOfEra = shifted &- era &* 146_097
        let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let marchMonth = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* marchMonth &+ 2) / 5 &+ 1
        month = marchMonth < 10 ? marchMonth &+ 3 : marchMonth &- 9
        year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
    }
}
