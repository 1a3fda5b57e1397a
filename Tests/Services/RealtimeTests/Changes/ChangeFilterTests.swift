import SwiftletJSON
import Testing

@testable import SwiftletRealtime

@Suite struct ChangeFilterTests {
    private typealias Condition = ChangeFilter.Condition

    @Test func `reads conditions, lists and quoted values`() throws {
        let filter = try ChangeFilter(#"id=eq.5,name=neq."a,b\"c",state=in.(open,"in work",(x))"#)
        #expect(
            filter.conditions == [
                Condition(column: "id", comparison: .eq, values: ["5"]),
                Condition(column: "name", comparison: .neq, values: [#"a,b"c"#]),
                Condition(column: "state", comparison: .in, values: ["open", "in work", "(x)"]),
            ]
        )
    }

    @Test(arguments: [
        "", "id", "id=5", "id=eq", "=eq.5", "id=like.a%", "id=eq.\"a", "id=in.(1,2", "id=eq.1,", "id=in.1",
        "id=in.(" + Array(repeating: "1", count: 101).joined(separator: ",") + ")",
        "id=eq." + String(repeating: "x", count: 8000), "id=match.^(a+)+$", "id=imatch.(.*a){99}",
        "id=not.match.(a|a)*",
    ])
    func `what cannot be read is refused`(text: String) {
        #expect(throws: ChangeRequestError.self) { try ChangeFilter(text) }
    }

    @Test(arguments: [
        ("1.50", "1.5", 0), ("1", "2", -1), ("-1", "-2", 1), ("10", "9", 1), ("0.1", "0.09", 1), ("1e3", "1000", 0),
        ("-0", "0", 0), ("0", "-5", 1), ("99999999999999999999", "99999999999999999998", 1), ("1e-7", "0.0000001", 0),
        ("12345678901234567.1", "12345678901234567.2", -1),
    ])
    func `numbers compare by value`(left: String, right: String, order: Int) throws {
        let left = JSONValue.number(try #require(JSONNumber(text: left)))
        let right = JSONValue.number(try #require(JSONNumber(text: right)))
        #expect(BoundFilter.isLess(left, right) == (order < 0))
        #expect(BoundFilter.isLess(right, left) == (order > 0))
        #expect(BoundFilter.isEqual(left, right) == (order == 0))
    }

    @Test func `null and missing columns pass nothing`() {
        let row: JSONObject = ["a": .null, "b": 1]
        for comparison in ChangeFilter.Comparison.allCases {
            for column in ["a", "c"] {
                let condition = BoundFilter.Condition(column: column, comparison: comparison, values: [1])
                #expect(!BoundFilter(conditions: [condition]).passes(row))
            }
        }
    }

    @Test(arguments: [
        (ChangeFilter.Comparison.eq, [false, true, false]), (.neq, [true, false, true]), (.lt, [true, false, false]),
        (.lte, [true, true, false]), (.gt, [false, false, true]), (.gte, [false, true, true]),
        (.in, [false, true, false]),
    ])
    func `every comparison has its meaning`(comparison: ChangeFilter.Comparison, passing: [Bool]) {
        let filter = BoundFilter(conditions: [
            BoundFilter.Condition(column: "n", comparison: comparison, values: [5])
        ])
        #expect([4, 5, 6].map { filter.passes(["n": JSONValue($0)]) } == passing)
    }
}
