import SwiftletHTTP
import Testing

@testable import SwiftletWeb

@Suite struct ClientAddressTests {
    @Test(arguments: [
        // The peer itself, whatever it claims.
        ("203.0.113.7", nil, "203.0.113.7"), ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("2001:db8::1", "198.51.100.1", "2001:db8:0:0:0:0:0:1"), ("::ffff:203.0.113.7", nil, "203.0.113.7"),
        ("127.0.0.1", nil, "127.0.0.1"), ("10.0.0.5", "", "10.0.0.5"), ("", nil, ""),
        // Behind proxies of ours.
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"), ("::1", "198.51.100.1:5555", "198.51.100.1"),
        ("", "198.51.100.1", "198.51.100.1"), ("172.18.0.2", "[2001:db8::2]:443", "2001:db8:0:0:0:0:0:2"),
        ("172.18.0.2", "9.9.9.9, 198.51.100.1, 10.0.0.7", "198.51.100.1"),
        ("172.18.0.2", "192.168.1.20", "192.168.1.20"), ("172.18.0.2", "192.168.1.20, 10.0.0.7", "192.168.1.20"),
        // What a client has put in front is not believed, nor is nonsense.
        ("127.0.0.1", "8.8.8.8, rubbish", "127.0.0.1"), ("127.0.0.1", "rubbish, 10.0.0.9", "10.0.0.9"),
        ("127.0.0.1", "unknown", "127.0.0.1"), ("127.0.0.1", "198.51.100.1'; DROP TABLE x", "127.0.0.1"),
        ("127.0.0.1", String(repeating: "1,", count: 5000), "127.0.0.1"),
    ])
    func `finds the client behind proxies, and only behind proxies`(peer: String, forwarded: String?, client: String) {
        #expect(ClientAddress(peer: peer, forwarded: forwarded).text == client)
    }

    @Test(arguments: [
        // A gateway that hides all clients behind its own address is no proxy: what they claim does not count.
        ("172.17.0.1", "198.51.100.1", "none", "172.17.0.1"), ("10.1.2.3", "198.51.100.1", "10.9.0.0/16", "10.1.2.3"),
        ("10.9.2.3", "198.51.100.1", "10.9.0.0/16", "198.51.100.1"),
        ("10.9.2.3", "8.8.8.8, 10.1.1.1", "10.9.0.0/16", "10.1.1.1"),
        // A proxy with a public address, and a chain of two.
        ("203.0.113.9", "198.51.100.1", "203.0.113.9", "198.51.100.1"),
        ("203.0.113.9", "9.9.9.9, 198.51.100.1, 10.0.0.7", "203.0.113.8/30, 10.0.0.0/8", "198.51.100.1"),
        ("2001:db8::7", "198.51.100.1", "2001:db8::/32", "198.51.100.1"),
        ("2001:db9::7", "198.51.100.1", "2001:db8::/32", "2001:db9:0:0:0:0:0:7"),
        ("203.0.113.9", "rubbish", "203.0.113.9", "203.0.113.9"), ("", "198.51.100.1", "203.0.113.9", ""),
    ])
    func `believes the proxies that are named, and no others`(
        peer: String,
        forwarded: String,
        list: String,
        client: String
    ) throws {
        let items = list == "none" ? [] : list.split(separator: ", ").map(String.init)
        let proxies = try #require(TrustedProxies(items))
        #expect(ClientAddress(peer: peer, forwarded: forwarded, trusting: proxies).text == client)
    }

    @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "proxy", "10.0.0.0/x", "2001:db8::/129"])
    func `reads networks strictly`(item: String) {
        #expect(TrustedProxies([item]) == nil)
    }

    @Test func `reads the field of a request`() throws {
        var headers = Headers()
        headers.append("X-Forwarded-For", "9.9.9.9")
        headers.append("X-Forwarded-For", "198.51.100.1")
        let request = try Request(method: .get, target: "/", headers: headers)
        #expect(ClientAddress(request).text == "198.51.100.1")
    }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"), ("::ffff:203.0.113.7", "203.0.113.7"),
    ])
    func `takes an IPv6 network as one place`(address: String, network: String) {
        #expect(IPAddress(address)?.network == network)
    }
}
