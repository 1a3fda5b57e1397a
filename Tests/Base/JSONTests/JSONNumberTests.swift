import SwiftletJSON
import Testing

@Suite struct JSONNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("0.0", 0), ("0e999999999999999999999", 0), ("-0.000e-5", 0), ("7", 7), ("-7", -7),
            ("10.0", 10), ("1e3", 1_000), ("1E+3", 1_000), ("1.5e1", 15), ("120e-1", 12), ("0.001e3", 1),
            ("1000e-3", 1),
            ("1200.00", 1_200), ("10203.0400e2", 1_020_304), ("100e-2", 1), ("0.0000000000000000000000001e25", 1),
            ("10000000000000000000000000e-25", 1),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775807.000", .max),
            ("9.223372036854775807e18", .max), ("922337203685477580.7e1", .max), ("-9.223372036854775808E+18", .min),
            ("9223372036854775807000e-3", .max), ("1e18", 1_000_000_000_000_000_000),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("18446744073709551615", nil),
            ("18446744073709551616", nil), ("1e19", nil), ("-1e19", nil), ("92233720368547758070", nil), ("1e20", nil),
            ("0.5", nil), ("1.0000000000000000000000000000001", nil), ("15e-1", nil), ("1e-1", nil), ("1e-400", nil),
            ("1e999999999999999999999", nil), ("1e-999999999999999999999", nil), ("-1e9223372036854775807", nil),
            ("123456789012345678901234567890", nil),
        ] as [(String, Int?)]
    )
    func `is a whole number only when it is one exactly`(text: String, expected: Int?) throws {
        #expect(try #require(JSONNumber(text: text)).int == expected)
    }

    @Test(arguments: [
        "", "-", "+1", "01", "-01", "1.", ".1", "1e", "1e+", "1e1.0", " 1", "1 ", "0x1", "NaN", "Infinity", "1,0", "١",
    ])
    func `is nothing but the grammar`(text: String) { #expect(JSONNumber(text: text) == nil) }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "-0.0"), (1.0, "1"), (-1.0, "-1"), (0.1, "0.1"), (1.5, "1.5"), (100.0, "100"),
        (9_007_199_254_740_992.0, "9007199254740992"), (-9_007_199_254_740_992.0, "-9007199254740992"), (1e20, "1e+20"),
        (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ])
    func `represents a double in the fewest digits`(value: Double, text: String) throws {
        let number = try #require(JSONNumber(value))
        #expect(number.text == text)
        #expect(number.double == value)
        #expect(number.double.sign == value.sign)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
    func `is nil for doubles that JSON cannot represent`(value: Double) { #expect(JSONNumber(value) == nil) }

    @Test(arguments: [("1e400", .infinity), ("-1e400", -.infinity), ("1e-400", 0), ("2.5", 2.5)] as [(String, Double)])
    func `is the nearest double`(text: String, expected: Double) { #expect(number(text).double == expected) }
}
