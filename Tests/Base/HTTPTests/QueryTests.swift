import SwiftletHTTP
import Testing

@Suite struct QueryTests {
    @Test(
        arguments: [
            ("", []), ("&", []), ("&&&", []), ("a=1", ["a=1"]), ("a", ["a="]), ("a=", ["a="]), ("=a", ["=a"]),
            ("=", ["="]),
            ("a=1&b=2", ["a=1", "b=2"]), ("&a=1&&b=2&", ["a=1", "b=2"]), ("a=b=c", ["a=b=c"]), ("a==", ["a=="]),
            ("a=x+y", ["a=x y"]), ("a+b=1", ["a b=1"]), ("a=%2B", ["a=+"]), ("a=%26%3D", ["a=&="]), ("%61=1", ["a=1"]),
            ("a=caf%C3%A9", ["a=café"]), ("a=%e2%82%ac", ["a=€"]), ("a=%F0%9F%98%80", ["a=😀"]),
            ("a=%C3", ["a=\u{FFFD}"]), ("a=%FF%41", ["a=\u{FFFD}A"]), ("a=%C0%AF", ["a=\u{FFFD}\u{FFFD}"]),
            // A form's body has not passed the parser, so that an escape may be none.
            ("a=%", ["a=%"]), ("a=%4", ["a=%4"]), ("a=%zz", ["a=%zz"]), ("a=%4&b=1", ["a=%4", "b=1"]),
            ("a=%%41", ["a=%A"]),
            ("a=1;b=2", ["a=1;b=2"]), ("a[]=1&a[]=2", ["a[]=1", "a[]=2"]),
        ] as [(String, [String])]
    )
    func `decodes pairs as forms do`(encoded: String, pairs: [String]) {
        let query = Query(encoded)
        #expect(query.map { "\($0.name)=\($0.value)" } == pairs)
        #expect(query.isEmpty == pairs.isEmpty)
    }

    @Test func `finds by name, the last one counting`() {
        let query = Query("a=1&b=2&a=3&%61=4+5&A=6&ab=7&=8")
        #expect(query["a"] == "4 5")
        #expect(query.all("a") == ["1", "3", "4 5"])
        #expect(query["A"] == "6")
        #expect(query["ab"] == "7")
        #expect(query[""] == "8")
        #expect(query["c"] == nil)
        #expect(query.all("c") == [])
        #expect(query.names == ["a", "b", "A", "ab", ""])
    }

    @Test func `matches names that need decoding, long and short`() {
        let long = String(repeating: "é", count: 40)
        let encoded = long.utf8.map { "%" + String($0, radix: 16) }.joined()
        #expect(Query("x=0&\(encoded)=1")[long] == "1")
        #expect(Query("x=0&\(encoded)=1")[long + "a"] == nil)
        #expect(Query("a+b=1")["a b"] == "1")
        #expect(Query("a+b=1")["a+b"] == nil)
    }

    @Test func `a request has the query of its target`() throws {
        #expect(try Request(target: "/a?b=1&c=%20d").query["c"] == " d")
        #expect(try Request(target: "/a?").query.isEmpty)
        #expect(try Request(target: "/a").query.isEmpty)
        #expect(try Request(target: "/a?b?c=/d").query["b?c"] == "/d")
    }
}
