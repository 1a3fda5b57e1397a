/// The types that generated rows are made of, written into each file, so that it needs nothing but Foundation.
enum SwiftSupport {
    static func text(schema: String, access: String) -> String {
        template.replacing("PUBLIC", with: access).replacing("SCHEMA", with: schema)
    }

    private static let template = #"""
        // MARK: - What the rows are made of

        extension SCHEMA {
            /// Reads rows: every form of a time that PostgreSQL and Swiftlet write.
            PUBLIC static var decoder: JSONDecoder {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .custom { decoder in
                    let text = try decoder.singleValueContainer().decode(String.self)
                    guard let date = Timestamp.date(text) else {
                        let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no time: \(text)")
                        throw DecodingError.dataCorrupted(context)
                    }
                    return date
                }
                return decoder
            }

            /// Writes rows: times in UTC with microseconds, which is what PostgreSQL keeps.
            /// Functions answer with whole seconds; `/rest/v1` shows the rest.
            PUBLIC static var encoder: JSONEncoder {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .custom { date, encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(Timestamp.text(date))
                }
                return encoder
            }

            /// What an update does with a column that may be null.
            PUBLIC enum ColumnChange<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
                case leave
                case null
                case set(Value)
            }

            /// A foreign key.
            PUBLIC struct Relationship: Hashable, Sendable {
                PUBLIC let name: String
                PUBLIC let columns: [String]
                PUBLIC let isOneToOne: Bool
                PUBLIC let referencedRelation: String
                PUBLIC let referencedColumns: [String]
            }

            /// A day without a time, `2026-01-31`.
            PUBLIC struct Day: Codable, Hashable, Sendable, Comparable, CustomStringConvertible {
                PUBLIC let year: Int
                PUBLIC let month: Int
                PUBLIC let day: Int

                /// nil for a day that no calendar has.
                PUBLIC init?(year: Int, month: Int, day: Int) {
                    guard (1...12).contains(month), day >= 1, day <= Timestamp.days(year, month) else { return nil }
                    self.year = year
                    self.month = month
                    self.day = day
                }

                /// `2026-01-31`; nil for other forms.
                PUBLIC init?(_ text: String) {
                    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                    guard parts.count == 3, parts[0].utf8.count >= 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
                        let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
                    else { return nil }
                    self.init(year: year, month: month, day: day)
                }

                PUBLIC init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    let text = try container.decode(String.self)
                    guard let day = Day(text) else {
                        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no day: \(text)")
                    }
                    self = day
                }

                PUBLIC func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    try container.encode(description)
                }

                PUBLIC var description: String {
                    Timestamp.digits(year, 4) + "-" + Timestamp.digits(month, 2) + "-" + Timestamp.digits(day, 2)
                }

                PUBLIC static func < (first: Day, second: Day) -> Bool {
                    (first.year, first.month, first.day) < (second.year, second.month, second.day)
                }
            }

            /// Any JSON.
            PUBLIC enum JSONValue: Codable, Hashable, Sendable {
                case null
                case bool(Bool)
                case number(Decimal)
                case string(String)
                case array([JSONValue])
                case object([String: JSONValue])

                PUBLIC init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if container.decodeNil() {
                        self = .null
                    } else if let value = try? container.decode(Bool.self) {
                        self = .bool(value)
                    } else if let value = try? container.decode(Decimal.self) {
                        self = .number(value)
                    } else if let value = try? container.decode(String.self) {
                        self = .string(value)
                    } else if let value = try? container.decode([JSONValue].self) {
                        self = .array(value)
                    } else {
                        self = .object(try container.decode([String: JSONValue].self))
                    }
                }

                PUBLIC func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    switch self {
                    case .null: try container.encodeNil()
                    case .bool(let value): try container.encode(value)
                    case .number(let value): try container.encode(value)
                    case .string(let value): try container.encode(value)
                    case .array(let values): try container.encode(values)
                    case .object(let members): try container.encode(members)
                    }
                }
            }

            fileprivate enum Timestamp {
                /// `2026-01-31T12:30:00.123456+01:00`, with a space for the T, with `Z`, `+01` or nothing, which is UTC.
                static func date(_ text: String) -> Date? {
                    let bytes = Array(text.utf8)
                    var index = 0
                    func number(_ digits: Int) -> Int? {
                        guard index + digits <= bytes.count else { return nil }
                        var value = 0
                        for byte in bytes[index..<index + digits] {
                            guard byte >= 48, byte <= 57 else { return nil }
                            value = value * 10 + Int(byte - 48)
                        }
                        index += digits
                        return value
                    }
                    func skip(_ character: Character) -> Bool {
                        guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
                        index += 1
                        return true
                    }
                    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
                        (1...12).contains(month), day >= 1, day <= days(year, month)
                    else { return nil }
                    var seconds = dayNumber(year, month, day) * 86_400
                    var fraction = 0.0
                    if skip("T") || skip(" ") {
                        guard let hour = number(2), skip(":"), let minute = number(2), hour <= 24, minute <= 59 else {
                            return nil
                        }
                        seconds += hour * 3_600 + minute * 60
                        if skip(":") {
                            guard let second = number(2), second <= 60 else { return nil }
                            seconds += second
                        }
                        if skip(".") {
                            var unit = 0.1
                            let start = index
                            while let digit = number(1) {
                                fraction += Double(digit) * unit
                                unit /= 10
                            }
                            guard index > start else { return nil }
                        }
                    }
                    if !skip("Z"), index < bytes.count {
                        let isWest = skip("-")
                        guard isWest || skip("+"), let hours = number(2) else { return nil }
                        var offset = hours * 3_600
                        if skip(":") || index < bytes.count {
                            guard let minutes = number(2) else { return nil }
                            offset += minutes * 60
                        }
                        seconds -= isWest ? -offset : offset
                    }
                    guard index == bytes.count else { return nil }
                    return Date(timeIntervalSince1970: Double(seconds) + (fraction * 1_000_000).rounded() / 1_000_000)
                }

                static func text(_ date: Date) -> String {
                    // A date holds no more than 0.1 µs.
                    let total = Int((date.timeIntervalSince1970 * 1_000_000).rounded())
                    let microseconds = ((total % 1_000_000) + 1_000_000) % 1_000_000
                    let seconds = (total - microseconds) / 1_000_000
                    let rest = ((seconds % 86_400) + 86_400) % 86_400
                    let (year, month, day) = civil((seconds - rest) / 86_400)
                    let time = [rest / 3_600, rest / 60 % 60, rest % 60].map { digits($0, 2) }.joined(separator: ":")
                    let date = [digits(year, 4), digits(month, 2), digits(day, 2)].joined(separator: "-")
                    return "\(date)T\(time).\(digits(microseconds, 6))Z"
                }

                static func digits(_ number: Int, _ count: Int) -> String {
                    let text = String(number)
                    return String(repeating: "0", count: max(count - text.count, 0)) + text
                }

                static func days(_ year: Int, _ month: Int) -> Int {
                    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
                    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
                }

                /// Days since 1 January 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
                private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
                    let shifted = month <= 2 ? year - 1 : year
                    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
                    let yearOfEra = shifted - era * 400
                    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
                    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
                }

                private static func civil(_ number: Int) -> (Int, Int, Int) {
                    let shifted = number + 719_468
                    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
                    let day = shifted - era * 146_097
                    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
                    let dayOfYear = day - (365 * year + year / 4 - year / 100)
                    let month = (5 * dayOfYear + 2) / 153
                    let isNextYear = month >= 10
                    let civilMonth = isNextYear ? month - 9 : month + 3
                    return (year + era * 400 + (isNextYear ? 1 : 0), civilMonth, dayOfYear - (153 * month + 2) / 5 + 1)
                }
            }
        }

        // What the compiler writes for a row calls these.
        extension KeyedEncodingContainer {
            PUBLIC mutating func encode<Value>(_ change: SCHEMA.ColumnChange<Value>, forKey key: Key) throws {
                switch change {
                case .leave: break
                case .null: try encodeNil(forKey: key)
                case .set(let value): try encode(value, forKey: key)
                }
            }
        }

        extension KeyedDecodingContainer {
            PUBLIC func decode<Value>(
                _ type: SCHEMA.ColumnChange<Value>.Type,
                forKey key: Key
            ) throws -> SCHEMA.ColumnChange<Value> {
                guard contains(key) else { return .leave }
                return try decodeNil(forKey: key) ? .null : .set(decode(Value.self, forKey: key))
            }
        }

        extension SCHEMA.ColumnChange: Codable {
            PUBLIC init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = container.decodeNil() ? .null : .set(try container.decode(Value.self))
            }

            PUBLIC func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                if case .set(let value) = self { try container.encode(value) } else { try container.encodeNil() }
            }
        }

        """#
}
