import SwiftletEventLoop
import Testing

@testable import SwiftletHTTPServer

@Suite struct AdmissionTests {
    private func network(_ host: String) throws -> ClientNetwork {
        ClientNetwork(try #require(SocketAddress.resolve(host: host, port: 80).first))
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.1.2.3", true), ("172.31.0.1", true), ("172.32.0.1", false), ("192.168.1.1", true),
        ("100.64.0.1", true), ("8.8.8.8", false), ("::1", true), ("fd00::1", true), ("fe80::1", true),
        ("2001:db8::1", false), ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false),
    ])
    func `knows private addresses`(host: String, isPrivate: Bool) throws {
        #expect(try network(host).isPrivate == isPrivate)
    }

    @Test func `a public address gets a quarter, and a network of IPv6 counts as one`() throws {
        let admission = Admission(maximum: 8, share: nil)
        let (first, second) = (try network("2001:db8::1"), try network("2001:db8::2"))
        #expect(first == second)
        #expect(try network("2001:db8:1::1") != first)
        #expect(admission.admit(first))
        #expect(admission.admit(second))
        #expect(!admission.admit(first))
        admission.leave(from: first)
        #expect(admission.admit(second))
        let proxy = try network("10.0.0.1")
        for _ in 0..<20 { #expect(admission.admit(proxy)) }
    }
}
