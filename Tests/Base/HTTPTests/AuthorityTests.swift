import SwiftletHTTP
import Testing

@Suite struct AuthorityTests {
    @Test(arguments: [
        ("a", true), ("a.example.com", true), ("a_b-c~d", true), ("127.0.0.1", true), ("999.999.999.999", true),
        ("a:80", true), ("a:", true), ("a:0", true), ("a:65535", true), ("a:65536", false), ("a:00080", true),
        ("a:000080", false), ("a:-1", false), ("a:+1", false), ("a:8a", false), ("a: 80", false), ("a:80:80", false),
        (":80", false), (":", false), ("a b", false), ("a,b", false), ("a;b", false), ("a!b", false), ("a@b", false),
        ("a/b", false), ("a?b", false), ("a#b", false), ("a\\b", false), ("a\"b", false), ("ä", false),
        ("a%20b", true), ("a%2", false), ("a%", false), ("a%zz", false), ("a%00", false),
        ("[::]", true), ("[::1]", true), ("[1::]", true), ("[::1]:80", true), ("[::1]:", true), ("[::1]80", false),
        ("[1:2:3:4:5:6:7:8]", true), ("[1:2:3:4:5:6:7]", false), ("[1:2:3:4:5:6:7:8:9]", false),
        ("[1:2:3::5:6:7:8]", true), ("[1:2:3:4::5:6:7:8]", false), ("[::2:3:4:5:6:7:8]", true),
        ("[1:2:3:4:5:6:7::]", true), ("[1:2:3:4:5:6:7:]", false), ("[:1:2:3:4:5:6:7]", false), ("[1::2::3]", false),
        ("[:::]", false), ("[1:::2]", false), ("[12345::]", false), ("[abcd::EF01]", true), ("[g::]", false),
        ("[]", false), ("[:]", false), ("[1]", false), ("[", false), ("[::", false), ("[::1", false), ("]", false),
        ("[::ffff:1.2.3.4]", true), ("[1:2:3:4:5:6:1.2.3.4]", true), ("[1:2:3:4:5:6:7:1.2.3.4]", false),
        ("[::1.2.3]", false), ("[::1.2.3.256]", false), ("[::1.2.3.4.5]", false), ("[::1.2.3.4:1]", false),
        ("[1.2.3.4]", false), ("[::.1.2.3]", false), ("[::1..2.3]", false), ("[::0001.2.3.4]", false),
        ("[fe80::1%25eth0]", false), ("[v1.a]", false), ("[::1]]", false), ("[[::1]]", false), ("a]", false),
    ])
    func `validates Host as a host with an optional port`(host: String, isValid: Bool) {
        let field = Delivery(Array("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
        #expect(field.status == (isValid ? 200 : 400))
        #expect(field.requests.count == (isValid ? 1 : 0))
    }

    @Test(arguments: [
        ("http://a", "/"), ("http://a/", "/"), ("http://a:80/b", "/b"), ("http://[::1]/b/c", "/b/c"),
        ("https://a?b=c", "/"), ("HtTpS://a//b", "//b"),
    ])
    func `an absolute target gives its path`(target: String, path: String) {
        let delivery = Delivery(Array("GET \(target) HTTP/1.1\r\nHost: b\r\n\r\n".utf8))
        #expect(delivery.requests.map(\.path) == [path])
    }

    @Test(arguments: [
        "http://", "http:///", "http://?a", "http://a b/", "http://a#b", "http://@a/", "http://a@/", "http:/a",
        "http:a",
        "http", "https//a", "ws://a/", "http://[::1/", "http://a:99999/", "http://a,b/", "http://a/%", "://a",
    ])
    func `an absolute target with anything odd is refused`(target: String) {
        let delivery = Delivery(Array("GET \(target) HTTP/1.1\r\nHost: b\r\n\r\n".utf8))
        #expect(delivery.status == 400)
    }
}
