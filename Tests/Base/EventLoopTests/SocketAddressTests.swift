import SwiftletEventLoop
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", 80, "127.0.0.1:80"),
        ("::1", 8000, "[::1]:8000"),
        ("0.0.0.0", 65535, "0.0.0.0:65535"),
        ("::ffff:192.0.2.7", 1, "[192.0.2.7]:1"),
        ("2001:db8:0:0:0:0:0:1", 1, "[2001:db8::1]:1"),
    ])
    func `reads and writes numbers of both families`(host: String, port: Int, text: String) throws {
        let address = try #require(try SocketAddress.resolve(host: host, port: port).first)
        #expect(address.description == text)
        #expect(address.port == port)
        #expect(address.withPort(443).port == 443)
        #expect(address.withPort(443).host == address.host)
    }

    @Test
    func `an unknown host is an error that names it`() {
        #expect(throws: SystemError.self) { try SocketAddress.resolve(host: "no such host", port: 1) }
        do throws(SystemError) {
            _ = try SocketAddress.resolve(host: "no such host", port: 1)
        } catch {
            #expect(error.description.contains("no such host"))
        }
    }
}
