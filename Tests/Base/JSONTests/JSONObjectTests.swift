import SwiftletJSON
import Testing

@Suite struct JSONObjectTests {
    @Test(arguments: [0, 1, 2, 15, 16, 17, 18, 100]) func `finds each of its members`(count: Int) {
        var object = JSONObject()
        for index in 0..<count { object["name \(index)"] = .number(JSONNumber(index)) }
        #expect(object.count == count)
        #expect(object.isEmpty == (count == 0))
        #expect(object.keys == (0..<count).map { "name \($0)" })
        for index in 0..<count { #expect(object["name \(index)"]?.int == index) }
        #expect(object["name"] == nil)
        #expect(object["name \(count)"] == nil)
        #expect(object.map(\.name) == object.keys)
    }

    @Test(arguments: [3, 40]) func `keeps a name's place when its value is replaced`(count: Int) {
        var object = JSONObject()
        for index in 0..<count { object["\(index)"] = 0 }
        object["1"] = "new"
        #expect(object.keys == (0..<count).map(String.init))
        #expect(object["1"] == "new")
    }

    @Test(arguments: [3, 16, 17, 18, 40]) func `forgets a member set to nil`(count: Int) {
        var object = JSONObject()
        for index in 0..<count { object["\(index)"] = .number(JSONNumber(index)) }
        object["1"] = nil
        object["absent"] = nil
        #expect(object.keys == (0..<count).filter { $0 != 1 }.map(String.init))
        #expect(object["1"] == nil)
        #expect(object["2"]?.int == 2)
        object["1"] = true
        #expect(object.keys.last == "1")
        #expect(object["1"] == true)
    }

    @Test func `tells names apart by their bytes`() {
        let object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2, "": 3, "\u{0}": 4, "\u{0}\u{0}": 5]
        #expect(object.count == 5)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        #expect(object["\u{0}"] == 4)
    }

    @Test func `is equal in whatever order`() {
        let one: JSONObject = ["a": 1, "b": [2], "c": nil]
        let other: JSONObject = ["c": nil, "a": 1, "b": [2]]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": [2]])
        #expect(one != ["a": 1, "b": [3], "c": nil])
        #expect(one != ["a": 1, "b": [2], "d": nil])
    }
}
