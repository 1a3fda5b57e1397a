import SwiftletHTTP
import Testing

@Suite struct PathTests {
    @Test(
        arguments: [
            ("/", "/", []), ("//", "//", []), ("/a", "/a", ["a"]), ("/a/", "/a/", ["a"]),
            ("/a//b", "/a//b", ["a", "b"]),
            ("/a/b/c", "/a/b/c", ["a", "b", "c"]), ("/a%2Fb/c", "/a/b/c", ["a/b", "c"]), ("/%2F", "//", ["/"]),
            ("/caf%C3%A9", "/café", ["café"]), ("/a+b", "/a+b", ["a+b"]), ("/a%20b", "/a b", ["a b"]),
            ("/../a/.", "/../a/.", ["..", "a", "."]), ("/%2e%2E/a", "/../a", ["..", "a"]),
            ("/a;b=c", "/a;b=c", ["a;b=c"]),
            ("/%FF", "/\u{FFFD}", ["\u{FFFD}"]), ("/a?b/c", "/a", ["a"]), ("/%25%32%35", "/%25", ["%25"]),
            ("/1/2/3/4/5/6/7/8/9/10", "/1/2/3/4/5/6/7/8/9/10", (1...10).map(String.init)),
            ("http://x/a/b", "/a/b", ["a", "b"]), ("http://x", "/", []), ("http://x?a", "/", []),
        ] as [(String, String, [String])]
    )
    func `decodes a path and its segments`(target: String, path: String, segments: [String]) throws {
        let request = try Request(target: target)
        #expect(request.path == path)
        let found = request.pathSegments
        #expect((0..<found.count).map { found[$0] } == segments)
        for (index, segment) in segments.enumerated() {
            // The decoded bytes themselves count, not what repair makes of them.
            #expect(found.segment(index, equals: Array(segment.utf8)) == !segment.contains("\u{FFFD}"))
            #expect(!found.segment(index, equals: Array((segment + "x").utf8)))
            #expect(!found.segment(index, equals: Array(segment.utf8.dropLast())))
        }
    }

    @Test func `compares segments with literals`() throws {
        let segments = try Request(target: "/tasks/%74asks/Tasks/task").pathSegments
        #expect((0..<4).map { segments.segment($0, equals: "tasks") } == [true, true, false, false])
    }

    @Test(
        arguments: [
            ("/b/a.png", "a.png"), ("/b/a/c", "a/c"), ("/b/a%2Fc", "a/c"), ("/b/a//c/", "a//c/"), ("/b//a", "/a"),
            ("//b/a", "a"), ("/b", ""), ("/b/", ""), ("/b/a%20c?d=e", "a c"), ("http://x/b/a", "a"),
            ("/b/1/2/3/4/5/6/7/8/9", "1/2/3/4/5/6/7/8/9"),
        ]
    )
    func `the rest of a path keeps its slashes`(target: String, rest: String) throws {
        #expect(try Request(target: target).pathSegments.rest(from: 1) == rest)
    }

    @Test func `an asterisk has no segments`() throws {
        let request = try Request(method: .options, target: "*")
        #expect(request.path == "*")
        #expect(request.pathSegments.count == 0)
    }
}
