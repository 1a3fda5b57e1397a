import SwiftletHTTP
import Testing

@Suite struct HeadersTests {
    private func text(_ headers: Headers) -> String { String(decoding: headers.lines, as: UTF8.self) }

    @Test func `keeps fields in order, in wire form`() {
        var headers = Headers()
        headers.append("X-B", "1")
        headers.append("X-A", "2")
        headers.append("x-b", "3")
        #expect(text(headers) == "X-B: 1\r\nX-A: 2\r\nx-b: 3\r\n")
        #expect(headers["X-b"] == "1")
        #expect(headers.all("x-B") == ["1", "3"])
        #expect(headers["X-C"] == nil)
        #expect(headers.all("X-C") == [])
    }

    @Test func `setting replaces all values, nil removes them`() {
        var headers = Headers()
        headers.append("A", "1")
        headers.append("B", "2")
        headers.append("a", "3")
        headers["A"] = "4"
        #expect(text(headers) == "B: 2\r\nA: 4\r\n")
        headers["b"] = nil
        #expect(text(headers) == "A: 4\r\n")
        headers["A"] = nil
        #expect(headers == Headers())
    }

    @Test func `a name is not found inside another name or a value`() {
        var headers = Headers()
        headers.append("X-Long-Name", "Name: 1")
        headers.append("Nam", "e: 2")
        #expect(headers["Name"] == nil)
        #expect(headers["X-Long"] == nil)
        headers["Name"] = nil
        #expect(text(headers) == "X-Long-Name: Name: 1\r\nNam: e: 2\r\n")
    }

    @Test(arguments: [
        ("a\r\nSet-Cookie: b", "a  Set-Cookie: b"), ("a\nb", "a b"), ("a\rb", "a b"), ("\r\n\r\n<html>", "<html>"),
        ("a\0b", "a b"), ("a\u{7F}b", "a b"), ("a\tb", "a b"), ("a\u{1B}[31m", "a [31m"), ("a\r\n", "a"), ("\r\n", ""),
        ("", ""), ("  a  b ", "a  b"), ("café", "café"), ("a\u{2028}b", "a\u{2028}b"), ("a\u{85}b", "a\u{85}b"),
        (String(repeating: "x", count: 100) + "\r\nA: b", String(repeating: "x", count: 100) + "  A: b"),
    ])
    func `no value ends its line`(value: String, written: String) {
        var headers = Headers()
        headers["X-A"] = value
        headers.append("X-B", "1")
        #expect(text(headers) == "X-A: \(written)\r\nX-B: 1\r\n")
        #expect(headers["x-a"] == written)

        var fromBytes = Headers()
        fromBytes.append("X-A", utf8: Array(value.utf8).span)
        #expect(fromBytes["X-A"] == written)
    }

    @Test func `no byte in a value can end its line`() {
        for byte in UInt8.min...UInt8.max {
            var headers = Headers()
            headers.append("A", utf8: [0x61, byte, 0x62].span)
            #expect(headers.lines.count == 8)
            #expect(headers.lines.dropLast(2).allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        }
    }

    @Test(arguments: [
        "Content-Length", "content-length", "Transfer-Encoding", "Connection", "KEEP-ALIVE", "Trailer", "Upgrade",
        "Date",
    ])
    func `what the serializer writes cannot be set`(name: String) throws {
        let name = try #require(Headers.Name(name))
        var headers = Headers()
        headers[name] = "1"
        headers.append(name, "2")
        headers.append(HeaderBlock([(name, "3")]))
        #expect(headers == Headers())
    }

    @Test(arguments: [
        "", " ", "a b", "a:", "a\r\n", "ä", "a/b", "(a)", "a\0", "\"a\"", "a,b", "[a]", "a@b", "\u{7F}", "A\u{212A}",
    ])
    func `a name that is not a token is refused`(text: String) {
        #expect(Headers.Name(text) == nil)
    }

    @Test(arguments: [
        ("content-type", "Content-TYPE", true), ("x-a", "x-ab", false), ("x-ab", "x-a", false), ("a", "b", false),
        // These differ in the bit that tells upper from lower case.
        ("^", "~", false), ("x!", "x\u{01}", false),
    ])
    func `names compare without regard to case`(left: String, right: String, areEqual: Bool) throws {
        let left = try #require(Headers.Name(left))
        guard let right = Headers.Name(right) else { return #expect(!areEqual) }
        #expect((left == right) == areEqual)
        #expect(Set([left, right]).count == (areEqual ? 1 : 2))
    }

    @Test func `a block is appended as it was made`() {
        let block = HeaderBlock([(.contentType, "application/json"), (.vary, "Origin\r\nX: y")])
        var headers = Headers()
        headers.append("A", "b")
        headers.append(block)
        #expect(text(headers) == "A: b\r\nContent-Type: application/json\r\nVary: Origin  X: y\r\n")
    }
}
