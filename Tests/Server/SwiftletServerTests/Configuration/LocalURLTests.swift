import Testing

@testable import SwiftletServer

@Suite struct LocalURLTests {
    @Test(arguments: [
        ("0.0.0.0", "http://127.0.0.1:80"), ("::", "http://[::1]:80"), ("fe80::1", "http://[fe80::1]:80"),
        ("db.example", "http://db.example:80"),
    ])
    func `leads to the server from this machine`(host: String, url: String) {
        #expect(LocalURL(host: host, port: "80", isSecure: false).description == url)
    }
}
