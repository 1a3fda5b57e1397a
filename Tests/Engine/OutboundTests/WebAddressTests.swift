import Testing

@testable import SwiftletOutbound

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("https://id.example/keys", "id.example", "443"), ("http://id.example", "id.example", "80"),
        ("https://id.example:8443/a?b=c#d", "id.example", "8443"), ("http://[::1]:8000/health", "[::1]", "8000"),
        ("https://id.example?b=c", "id.example", "443"), ("http://0x7f.1/", "127.0.0.1", "80"),
        ("http://2130706433/", "127.0.0.1", "80"),
    ])
    func `reads`(url: String, host: String, port: String) throws {
        let address = try WebAddress(url)
        #expect(address.isSecure == url.hasPrefix("https"))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: [
        "", "id.example", "ftp://id.example/", "file:///etc/passwd", "https://", "https://user@id.example/",
        "https://user:secret@id.example/", "https://a:65536/", "https://a:b/", "https://a/ b", "https://a/\r\nX: y",
        "https://a/\u{0}b", "smtp://a/", "javascript:alert(1)",
    ])
    func `refuses`(url: String) {
        #expect(throws: OutboundError.badAddress) { try WebAddress(url) }
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.0.9", true), ("[::1]", true),
        ("127.0.0.1.example", false), ("127.evil.example", false), ("localhost.example", false), ("10.0.0.1", false),
        ("0.0.0.0", false), ("[::2]", false), ("127.0.0", false), ("127.0.0.0.1", false), ("", false),
    ])
    func `recognizes loopback addresses`(host: String, isLoopback: Bool) {
        #expect(WebAddress.isLoopback(host) == isLoopback)
    }
}
