import Testing

@testable import SwiftletOutbound

@Suite struct NetworkAddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "2001::1",
        "2001:db8::1", "2001:10::1", "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1",
        "fe80::1%eth0", "fec0::1", "ff02::1",
    ])
    func `private, link-local, loopback and reserved addresses are not public`(text: String) throws {
        #expect(try !#require(NetworkAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.1.1.1", "128.0.0.1",
        "169.253.1.1", "172.15.1.1", "172.32.0.1", "192.0.1.1", "192.167.1.1", "198.17.1.1", "198.20.0.1",
        "203.0.112.1", "223.255.255.254", "::ffff:8.8.8.8", "64:ff9b::808:808", "2001:4860:4860::8888",
        "2002:808:808::1",
        "2606:4700::1111", "2a00:1450::1",
    ])
    func `all others are`(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "300.1.1.1", ":::"])
    func `takes numbers only`(text: String) {
        #expect(NetworkAddress(text) == nil)
    }
}
