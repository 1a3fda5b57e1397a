import SwiftletJSON
import Testing

@testable import SwiftletResources
import SwiftletWeb

@Suite struct ColumnKindTests {
    @Test(arguments: [
        (ColumnKind.text(maximumLength: 3), JSONValue.string("äöü"), "äöü"),
        (.uuid, "0190A3C4-7b1a-7cc1-8f00-000000000001", "0190A3C4-7b1a-7cc1-8f00-000000000001"),
        (.integer(-10...10), 10, "10"),
        (.numeric, number("1200.00"), "1200.00"),
        (.bool, true, "t"),
        (.timestamp, "2024-01-15T10:30:00+02:00", "2024-01-15T10:30:00+02:00"),
        (.timestampWithZone, "2026-12-31T23:59:59.9999995Z", "2026-12-31T23:59:59.999999Z"),
        (.date, "2024-01-15", "2024-01-15"),
        (.json, .object(["a": .array([1, .null])]), #"{"a":[1,null]}"#),
        (.json, .array([number("1e308"), number("-2.5E-300")]), "[1e308,-2.5E-300]"),
        (.array(.text(maximumLength: nil)), .array(["a", #"b"\,c"#, "NULL"]), #"{"a","b\"\\,c","NULL"}"#),
        (.array(.integer(0...9)), .array([1, .null]), #"{"1",NULL}"#),
        (.enumeration(["low", "high"]), "low", "low"),
    ])
    func `takes what fits`(kind: ColumnKind, value: JSONValue, expected: String) throws {
        #expect(try kind.parameter(for: value) == expected)
    }

    @Test(arguments: [
        (ColumnKind.text(maximumLength: 3), JSONValue.string("abcd")),
        (.text(maximumLength: nil), 5),
        (.text(maximumLength: nil), "a\u{0}b"),
        (.uuid, "not-a-uuid"),
        (.uuid, "0190a3c4x7b1a-7cc1-8f00-000000000001"),
        (.integer(-10...10), 11),
        (.integer(-10...10), number("1.5")),
        (.integer(Int.min...Int.max), number("9223372036854775808")),
        (.integer(-10...10), "5"),
        (.numeric, "1200.00"),
        (.bool, 1),
        (.timestamp, "yesterday"),
        (.json, .object(["a": "\u{0}"])),
        // A few bytes, of which jsonb makes a hundred thousand whenever the row is read.
        (.json, number("1e131000")),
        (.json, .object(["a": .array(Array(repeating: number("1E-16000"), count: 5))])),
        (.numeric, number("1e131000")),
        (.array(.numeric), .array(Array(repeating: number("1e16000"), count: 5))),
        (.array(.json), .array([number("1e131000")])),
        (.other, number("1e131000")),
        (.array(.uuid), .array(["x"])),
        (.array(.uuid), "x"),
        (.enumeration(["low", "high"]), "medium"),
    ])
    func `refuses what does not fit`(kind: ColumnKind, value: JSONValue) {
        #expect(throws: ValueFault.self) { try kind.parameter(for: value) }
    }

    @Test(
        arguments: [
            ("1.5", "must be a whole number"), ("-9.5e0", "must be a whole number"),
            ("11", "must be between -10 and 10"), ("-9223372036854775809", "must be between -10 and 10"),
            ("1e400", "must be between -10 and 10"),
        ]
    )
    func `says of a whole number that it is too large, not that it is none`(text: String, reason: String) {
        #expect(throws: ValueFault(reason: reason)) { try ColumnKind.integer(-10...10).parameter(for: number(text)) }
    }

    @Test func `doubles may be as large as they get, a thousand of them`() throws {
        let many = JSONValue.array(Array(repeating: number("1e300"), count: 1000))
        #expect(try ColumnKind.array(.float).parameter(for: many) != nil)
    }

    @Test func `null clears any column`() throws {
        #expect(try ColumnKind.uuid.parameter(for: .null) == nil)
    }
}

private func number(_ text: String) -> JSONValue {
    JSONNumber(text: text).map(JSONValue.number) ?? .null
}
