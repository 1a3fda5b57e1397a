import SwiftletWeb

/// A number for people to refer to: a prefix, the time and chance.
struct SerialNumber {
    let text: String

    private static let timeDigits = 8
    private static let randomDigits = 4

    /// `milliseconds` since 1970; eight digits of base 36 last until 2059.
    init(_ prefix: StaticString, milliseconds: Int) {
        let limit = Self.power(Self.timeDigits)
        let time = String(limit + milliseconds % limit, radix: 36, uppercase: true).dropFirst()
        let random = Int.random(in: 0..<Self.power(Self.randomDigits))
        let tail = String(Self.power(Self.randomDigits) + random, radix: 36, uppercase: true).dropFirst()
        text = prefix.description + time + tail
    }

    private static func power(_ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { value, _ in value * 36 }
    }
}
