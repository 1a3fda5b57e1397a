import SwiftletHTTP
import Testing

@testable import SwiftletResources
import SwiftletWeb

@Suite struct IgnoredFieldsTests {
    @Test(arguments: [
        ([], nil),
        (["colour"], "colour"),
        (["colour", "größe", "a,b", "x\r\nSet-Cookie: a=b", "size"], "colour, size"),
        (["größe", "two words"], "2 unknown"),
        ([""], "1 unknown"),
        (["", "colour"], "colour"),
        ([String(repeating: "k", count: 65)], "1 unknown"),
    ])
    func `names the keys that are valid in a header`(keys: [String], value: String?) {
        var response = Response()
        response.nameIgnoredFields(keys)
        #expect(response.headers[.xIgnoredFields] == value)
    }
}
